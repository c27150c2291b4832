// `entryway serve`: runs the service, from reading the configuration to the last answer.
import type { Command } from 'commander';
import type { Logger } from 'pino';
import { readConfig, type Config } from '../../config/config.ts';
import { describeConfig } from '../../config/variables.ts';
import type { Database } from '../../database/database.ts';
import type { WorkerRole } from '../../service/background.ts';
import { createLog } from '../../base/log.ts';
import { leaveSupervisor, readWorkerRole, reportServing, untilStopped } from './workers.ts';
import { announcement } from './announcement.ts';
import { nameDatabase } from '../databaseName.ts';
import type { MadeDemo } from '../demo/demo.ts';
import { boundGarbage } from './heap.ts';
import { mistypedVariables } from './mistypedVariables.ts';
import { asJson, print, table } from '../../../clients/cli/src/terminal/output.ts';
import { firstSignal } from './signals.ts';
import { startSteps, type StartSteps } from './startSteps.ts';
import { openLogStream } from './terminalLog.ts';

export function define(command: Command): void {
  command
    .option('--port <number>', 'the port to listen on, instead of PORT')
    .option('--host <address>', 'the address to listen on, instead of HOST')
    .addHelpText('after', describeVariables)
    .action(serve);
}

const about = `
Applies pending migrations, and serves until SIGTERM or SIGINT; then requests under way are finished, for at most 7
seconds. The log is written to standard error. Without DATABASE_URL the database is an embedded one, in DATA_DIR; where
that has no sites yet, a demo site is made in development. It has tokens, which are printed once, if standard output is a
terminal, or DEMO=on is set.

Environment variables, which the file .env of the working directory may set, too:
`;

function describeVariables(): string {
  const rows = describeConfig().map((variable) => [variable.name, variable.default, variable.meaning]);
  return about + table(['name', 'default', 'meaning'], rows, '');
}

interface ServeOptions {
  readonly port?: string;
  readonly host?: string;
}

/** @throws the errors that prevent the service from starting; nothing once it has started */
async function serve(options: ServeOptions): Promise<void> {
  const role = readWorkerRole();
  const stop = role === null ? firstSignal() : Promise.race([firstSignal(), untilStopped()]);
  const config = readConfig(environmentFor(options));
  const log = createLog(config.logLevel, await openLogStream(), role?.slot);
  process.on('uncaughtException', (error) => crash(log, error));
  if (role === null) {
    for (const mistyped of mistypedVariables(process.env)) log.warn(mistyped, 'unknown environment variable');
  }
  if (role === null && config.workers > 1) {
    const { supervise } = await import('./supervise.ts');
    await supervise(config, log, stop);
    return;
  }
  try {
    await serveAlone(config, log, stop, role);
  } finally {
    leaveSupervisor();
  }
}

/** Serves in this process until the signal to stop. */
async function serveAlone(config: Config, log: Logger, stop: Promise<unknown>, role: WorkerRole | null): Promise<void> {
  boundGarbage();
  const isTerminal = process.stdout.isTTY && !asJson;
  const steps = startSteps(log, isTerminal ? (line) => process.stdout.write(line) : null);
  steps.openDatabase(config);
  // In parallel, since each takes a large part of a second.
  const [database, { startService }] = await Promise.all([open(config), import('../../service.ts')]);
  try {
    // If other workers serve already, requests come as soon as this one listens: it has to be ready then.
    const joinsOthers = role?.announces === false;
    const preparedBefore = joinsOthers ? await prepare(database, config, log, stop, steps) : null;
    if (preparedBefore === 'stopped') return;
    // Before the migrations: health checks see that the process lives, and if the port is in use nothing is created.
    const service = await startService(config, database, log, role);
    // Before this, and in a supervisor, an unhandled rejection is an uncaught error.
    process.on('unhandledRejection', service.takeStray);
    let closeCommands = (): Promise<void> => Promise.resolve();
    try {
      const demo = joinsOthers ? preparedBefore : await prepare(database, config, log, stop, steps);
      if (demo !== 'stopped') {
        closeCommands = await takeCommands(config, database, log);
        service.open();
        const start = {
          url: service.url,
          publicUrl: config.publicUrl,
          console: config.console,
          database: nameDatabase(config),
          demo,
        };
        if (!joinsOthers) print(announcement(start, isTerminal));
        reportServing();
        if (role !== null) log.info({ pid: process.pid }, 'serving');
      }
      log.info({ signal: await Promise.race([stop, database.failed]) }, 'stopping');
    } finally {
      await Promise.all([end('commands', log, closeCommands()), end('the service', log, service.stop())]);
    }
  } finally {
    await end('the database', log, database.close());
  }
}

/**
 * Adapts the environment to the options and the terminal: there, a line for each request would hide the announcement.
 */
function environmentFor({ port, host }: ServeOptions): Record<string, string | undefined> {
  const { LOG_LEVEL: level, ...environment } = process.env;
  const isQuiet = process.stderr.isTTY && (level === undefined || level === '');
  return {
    ...environment,
    LOG_LEVEL: isQuiet ? 'warn' : level,
    ...(port !== undefined && { PORT: port }),
    ...(host !== undefined && { HOST: host }),
  };
}

async function open(config: Config): Promise<Database> {
  const { openDatabase } = await import('../../database/open/open.ts');
  return openDatabase(config);
}

/**
 * Applies pending migrations, and creates the demo site, where one is wanted, in an embedded database without sites.
 * @returns the demo, or null without one; 'stopped' if the signal came while another process was migrating
 */
async function prepare(
  database: Database,
  config: Config,
  log: Logger,
  stop: Promise<unknown>,
  steps: StartSteps,
): Promise<MadeDemo | null | 'stopped'> {
  const { migrate } = await import('../../database/migrations/migrate.ts');
  const stopping = new AbortController();
  void stop.then(() => stopping.abort());
  try {
    const migrations = await migrate(database, { signal: stopping.signal, begin: steps.migrate });
    if (migrations.length > 0) log.info({ migrations }, 'migrations applied');
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return 'stopped';
    throw error;
  }
  if (database.kind !== 'embedded' || !config.demo) return null;
  const { makeDemo } = await import('../demo/demo.ts');
  return makeDemo(
    database.prisma,
    { wantsTokens: config.demoTokens, isTerminal: process.stdout.isTTY, signsIn: config.signIn },
    steps.makeDemo,
  );
}

/** Accepts commands on the embedded database, which no other process may open. @returns a function that ends this */
async function takeCommands(config: Config, database: Database, log: Logger): Promise<() => Promise<void>> {
  if (database.kind !== 'embedded') return () => Promise.resolve();
  const { deleteAbandonedCopies } = await import('../moving/databaseCopy.ts');
  await deleteAbandonedCopies(config.dataDir).catch((error: unknown) =>
    log.warn({ err: error }, 'old copies not deleted'),
  );
  const { openCommandSocket } = await import('../operator/commandSocket.ts');
  return (await openCommandSocket(config, database, log)).close;
}

/** Waits for a component to end. A failure is only logged, since the process ends anyway. */
async function end(component: string, log: Logger, ending: Promise<void>): Promise<void> {
  await ending.catch((error: unknown) => log.warn({ err: error }, `${component} did not end well`));
}

/** Ends the process after an uncaught error: its state is unknown, and only a restart helps. */
function crash(log: Logger, error: unknown): never {
  log.fatal({ err: error }, 'crashed');
  process.exit(1);
}
