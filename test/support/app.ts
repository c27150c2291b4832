// The service on a database of its own, over real HTTP.
import { jest } from '@jest/globals';
import { readConfig, type Config } from '../../src/config/config.ts';
import type { PlainDatabase } from '../../src/database/database.ts';
import { Rebuilds } from '../../src/features/rebuilds/rebuilds.ts';
import { createLog } from '../../src/base/log.ts';
import { startService } from '../../src/service.ts';
import { testDatabase } from './db.ts';
import { holdToDocument } from './openapi/hold.ts';
import { watchedLog } from './watch/index.mjs';

export interface TestApp {
  readonly url: string;
  /** The address of the metrics; null: METRICS_PORT is not set. */
  readonly metricsUrl: string | null;
  readonly database: PlainDatabase;
  readonly close: () => Promise<void>;
}

/**
 * Starts the service on a fresh database, or on one that is given and left open at the end. Its log is searched, and its
 * answers are held to the OpenAPI document.
 * @param readLine receives each line of the log
 */
export async function startApp(
  environment: Record<string, string> = {},
  given?: PlainDatabase,
  readLine: (line: string) => void = () => undefined,
): Promise<TestApp> {
  const { app, open } = await startUnopenedApp(environment, given, readLine);
  open();
  return app;
}

/** The same, before it is opened: it listens, and refuses every request for data. */
export async function startUnopenedApp(
  environment: Record<string, string> = {},
  given?: PlainDatabase,
  readLine: (line: string) => void = () => undefined,
): Promise<{ app: TestApp; open: () => void }> {
  holdToDocument();
  // A list is not refused because the machine is busy.
  const config: Config = readConfig({ PORT: '0', LOG_LEVEL: 'debug', SCAN_TIMEOUT: '10000', ...environment });
  const database = given ?? (await testDatabase());
  const watched = watchedLog();
  const stream = {
    write: (line: string) => {
      watched.write(line);
      readLine(line);
    },
  };
  const service = await startService(config, database, createLog(config.logLevel, stream));
  const app = {
    url: service.url,
    metricsUrl: service.metricsUrl,
    database,
    close: async () => {
      await service.stop();
      if (!given) await database.close();
    },
  };
  return { app, open: () => service.open() };
}

/**
 * Keeps the services of this file of tests from looking for entries that others left to be derived (src/features/rebuilds/rebuilds.ts):
 * what a test leaves so stays so, and no statement of a look comes between those of a request.
 */
export function withoutLooks() {
  return jest.spyOn(Rebuilds.prototype, 'resume').mockResolvedValue();
}
