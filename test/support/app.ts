// The service on a database of its own, over real HTTP.
import { readConfig, type Config } from '../../src/config.ts';
import type { Database } from '../../src/db/database.ts';
import { createLog } from '../../src/log.ts';
import { startService } from '../../src/service.ts';
import { testDatabase } from './db.ts';
import { watchedLog } from './watch/index.mjs';

export interface TestApp {
  readonly url: string;
  readonly database: Database;
  readonly close: () => Promise<void>;
}

/** Starts the service on a fresh database, or on one that is given and left open at the end. Its log is searched. */
export async function startApp(environment: Record<string, string> = {}, given?: Database): Promise<TestApp> {
  const config: Config = readConfig({ PORT: '0', LOG_LEVEL: 'debug', ...environment });
  const database = given ?? (await testDatabase());
  const service = await startService(config, database, createLog(config.logLevel, watchedLog()));
  service.open();
  return {
    url: service.url,
    database,
    close: async () => {
      await service.stop();
      if (!given) await database.close();
    },
  };
}
