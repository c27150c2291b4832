// `entryway serve`: the service, from its configuration to its last answer.
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { describeConfig, readConfig, type Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { createLog } from '../log.ts';
import { announcement } from './announcement.ts';
import { createDemo } from './demo.ts';
import { print, table } from './output.ts';
import { firstSignal } from './signals.ts';

export function define(command: Command): void {
  command.addHelpText('after', help).action(serve);
}

const about = `
Applies pending migrations, and serves until SIGTERM or SIGINT; then requests under way are finished, for at most 7
seconds. The log is written to standard error. Without DATABASE_URL the database is an embedded one, in DATA_DIR; where
that has no sites yet, a demo site is made, and its tokens are printed once.

Environment variables:
`;

function help(): string {
  const rows = describeConfig().map((variable) => [variable.name, variable.default, variable.meaning]);
  return about + table(['name', 'default', 'meaning'], rows, '');
}

/** @throws whatever keeps it from serving; nothing any more once it does */
async function serve(): Promise<void> {
  const stop = firstSignal();
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  process.on('uncaughtException', (error) => crash(log, error));
  // Side by side, since either takes a good part of a second.
  const [database, { startService }] = await Promise.all([openMigrated(config, log), import('../service.ts')]);
  try {
    // Before the demo is made, so that its tokens are not lost where the port is taken.
    const service = await startService(config, database, log);
    try {
      const demo = database.kind === 'embedded' ? await createDemo(database.prisma) : null;
      print(announcement({ url: service.url, production: config.production, kind: database.kind, demo }));
      log.info({ signal: await stop }, 'stopping');
    } finally {
      await end('the service', log, service.stop());
    }
  } finally {
    await end('the database', log, database.close());
  }
}

async function openMigrated(config: Config, log: Logger): Promise<Database> {
  const [{ openDatabase }, { migrate }] = await Promise.all([import('../db/database.ts'), import('../db/migrate.ts')]);
  const database = await openDatabase(config);
  try {
    const migrations = await migrate(database);
    if (migrations.length > 0) log.info({ migrations }, 'migrations applied');
    return database;
  } catch (error) {
    await end('the database', log, database.close());
    throw error;
  }
}

/** Waits for something to end; that it fails to changes nothing any more. */
async function end(what: string, log: Logger, ending: Promise<void>): Promise<void> {
  await ending.catch((error: unknown) => log.warn({ err: error }, `${what} did not end well`));
}

/** Nothing is known of the process's state any more; whatever restarts it begins with a good one. */
function crash(log: Logger, error: unknown): never {
  log.fatal({ err: error }, 'crashed');
  process.exit(1);
}
