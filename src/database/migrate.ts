// Brings a database up to date: applies the migrations that it lacks, each as one transaction, so that a crash leaves
// nothing half done. The table and the lock are Prisma's (migrations.ts); the runner is ours, because Prisma's needs an
// engine that is downloaded, and its stock driver adapters do not run migrations safely (test/support/schema-engine.ts).
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, SqlSession } from './database.ts';
import { compare, createTable, migrationsDirectory, readMigrations } from './migrationStatus.ts';
import type { Migration, MigrationState, MigrationStatus } from './migrationStatus.ts';

/** The advisory lock that Prisma's engine takes too. */
const lockKey = 72707369;

/** How long another process may take with its migrations before we give up, and how often we look, in ms. */
const lockLimit = 120_000;
const lockInterval = 100;

/** The database was not brought up to date. The message says in one line why, and what to do. */
export class MigrationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s+/g, ' '), options);
    this.name = 'MigrationError';
  }
}

interface Options {
  /** Takes failed migrations for rolled back, which ours always are, and tries them again. */
  retryFailed?: boolean;
  /** Another folder than the package's own (tests). */
  directory?: string;
  /** Ends the wait for another process. */
  signal?: AbortSignal;
}

/** Where each migration stands, in their order. */
export async function migrationStatus(
  database: Database,
  { directory = migrationsDirectory }: Pick<Options, 'directory'> = {},
): Promise<MigrationStatus[]> {
  return database.session((session) => compare(session, readMigrations(directory)));
}

/**
 * Applies the pending migrations; gives the names of those applied. Any number of processes may do so at once: one
 * applies, the others wait and find nothing left to do.
 * @throws {MigrationError} where one fails or failed before, where an applied one is unknown here or was edited since,
 *   or where another process holds the lock for too long
 * @throws AbortError where the signal comes while it waits for another process
 */
export async function migrate(
  database: Database,
  { retryFailed = false, directory = migrationsDirectory, signal }: Options = {},
): Promise<string[]> {
  const migrations = readMigrations(directory);
  return database.session(async (session) => {
    const pending = (await findPending(session, migrations, retryFailed)).length;
    if (pending === 0) return [];
    return withLock(session, signal, async () => {
      await session.exec(createTable);
      if (retryFailed) await forgetFailures(session, migrations);
      const applied: string[] = [];
      // Read again: another process may have applied them while we waited.
      for (const migration of await findPending(session, migrations, false)) {
        await apply(session, migration);
        applied.push(migration.name);
      }
      return applied;
    });
  });
}

/** @throws {MigrationError} where the database is in no state to be migrated */
async function findPending(session: SqlSession, migrations: Migration[], retryFailed: boolean): Promise<Migration[]> {
  const statuses = await compare(session, migrations);
  for (const state of retryFailed ? unfit.filter((each) => each !== 'failed') : unfit) {
    const found = statuses.filter((status) => status.state === state);
    if (found.length > 0) throw new MigrationError(remedies[state](found));
  }
  const open = new Set<MigrationState>(['pending', 'failed']);
  const names = new Set(statuses.filter(({ state }) => open.has(state)).map(({ name }) => name));
  return migrations.filter(({ name }) => names.has(name));
}

const unfit = ['missing', 'edited', 'failed'] as const;

const remedies: Record<(typeof unfit)[number], (found: MigrationStatus[]) => string> = {
  missing: (found) =>
    `The database is ahead of this version of Entryway: it has had the migrations ${namesOf(found)}, which are unknown ` +
    'here. Start the version that it belongs to, or a later one.',
  edited: (found) =>
    `The migrations ${namesOf(found)} were edited after they had been applied to this database. Restore their files, ` +
    'and put the change into a new migration.',
  failed: (found) =>
    `The migrations ${namesOf(found)} failed on this database (${found[0]?.logs ?? 'without a word'}). Put that right, ` +
    'then run "entryway migrate --retry-failed", or see "prisma migrate resolve".',
};

function namesOf(statuses: MigrationStatus[]): string {
  return statuses.map(({ name }) => name).join(', ');
}

/**
 * Runs `work` while no other process migrates. Polls instead of waiting in the database, since a waiting statement holds
 * a snapshot, which would keep an index that the other builds concurrently from ever being finished.
 */
async function withLock<T>(session: SqlSession, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + lockLimit;
  for (;;) {
    const [lock] = await session.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS "taken"', [lockKey]);
    if (lock?.taken === true) break;
    if (performance.now() > giveUpAt) {
      throw new MigrationError(
        `Another process has been migrating this database for more than ${lockLimit / 1000} seconds. ` +
          'Wait until it is done, or end it; then start again.',
      );
    }
    await sleep(lockInterval, undefined, { ...(signal && { signal }) });
  }
  try {
    return await work();
  } finally {
    await unlock(session);
  }
}

/** The lock ends with the connection, too: where that is lost, the reason is on its way up already. */
async function unlock(session: SqlSession): Promise<void> {
  await session.exec(`SELECT pg_advisory_unlock(${lockKey})`).catch(() => undefined);
}

async function forgetFailures({ query }: SqlSession, migrations: Migration[]): Promise<void> {
  await query(
    `UPDATE "_prisma_migrations" SET "rolled_back_at" = now()
     WHERE "finished_at" IS NULL AND "rolled_back_at" IS NULL AND "migration_name" = ANY($1::text[])`,
    [migrations.map(({ name }) => name)],
  );
}

/** @throws {MigrationError} where the migration fails: then it has left nothing but a record of that */
async function apply(session: SqlSession, migration: Migration): Promise<void> {
  const startedAt = new Date().toISOString();
  try {
    await session.exec('BEGIN');
    await session.exec(migration.sql);
    await session.query(
      `INSERT INTO "_prisma_migrations"
         ("id", "checksum", "migration_name", "started_at", "finished_at", "applied_steps_count")
       VALUES ($1, $2, $3, $4::timestamptz, now(), 1)`,
      [randomUUID(), migration.checksum, migration.name, startedAt],
    );
    await session.exec('COMMIT');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const recorded = await recordFailure(session, migration, startedAt, reason);
    const outcome = recorded
      ? `failed, and has been rolled back: ${reason}. Put that right, then run "entryway migrate --retry-failed".`
      : `was cut off: ${reason}. It was applied as a whole or not at all: start again.`;
    throw new MigrationError(`The migration ${migration.name} ${outcome}`, { cause: error });
  }
}

/** False where not even the roll-back gets through: then the connection is lost, and the server rolls back by itself. */
async function recordFailure(
  session: SqlSession,
  { name, checksum }: Migration,
  startedAt: string,
  logs: string,
): Promise<boolean> {
  const alive = await session.exec('ROLLBACK').then(
    () => true,
    () => false,
  );
  if (!alive) return false;
  await session.query(
    `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "started_at", "logs")
     VALUES ($1, $2, $3, $4::timestamptz, $5)`,
    [randomUUID(), checksum, name, startedAt, logs],
  );
  return true;
}
