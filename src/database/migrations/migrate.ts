// Applies pending migrations, each in one transaction, so that a crash leaves none half applied. The table and the lock are
// Prisma's (migrationStatus.ts). The runner is not, because Prisma's own needs an engine that has to be downloaded, and its
// driver adapters do not run migrations safely (test/support/schema-engine.ts).
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, SqlSession } from '../database.ts';
import { compareMigrations, createMigrationsTable, migrationsDirectory, readMigrations } from './migrationStatus.ts';
import type { Migration, MigrationState, MigrationStatus } from './migrationStatus.ts';
import { splitStatements } from './sqlScript.ts';

/** The advisory lock that Prisma's migration engine takes, too. */
const lockKey = 72707369;

/** Maximum wait for another process that migrates, and the pause between attempts to take the lock. */
const lockTimeoutMilliseconds = 120_000;
const lockRetryMilliseconds = 100;

/** The database could not be migrated. The message has the reason and the remedy in one line. */
export class MigrationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s+/g, ' '), options);
    this.name = 'MigrationError';
  }
}

interface MigrateOptions {
  /** Tries failed migrations again. They have been rolled back: each is one transaction. */
  retryFailed?: boolean;
  /** A folder of migrations, instead of the package's (for tests). */
  directory?: string;
  /** Aborts the wait for another process. */
  signal?: AbortSignal;
  /** Receives the number of pending migrations before they are applied; not called without any. */
  begin?: (pending: number) => void;
}

/** Determines the state of each migration, in order. */
export async function migrationStatus(
  database: Database,
  { directory = migrationsDirectory }: Pick<MigrateOptions, 'directory'> = {},
): Promise<MigrationStatus[]> {
  return database.session((session) => compareMigrations(session, readMigrations(directory)));
}

/**
 * Applies the pending migrations; returns their names. Processes may call this concurrently: one applies them, and the
 * others wait and then have nothing left to apply.
 * @throws {MigrationError} if a migration fails or has failed before, if an applied one is unknown here or was edited
 * since, or if another process holds the lock for too long
 * @throws AbortError if the signal aborts the wait for another process
 */
export async function migrate(
  database: Database,
  { retryFailed = false, directory = migrationsDirectory, signal, begin = () => undefined }: MigrateOptions = {},
): Promise<string[]> {
  const migrations = readMigrations(directory);
  return database.session(async (session) => {
    const pending = (await findPending(session, migrations, retryFailed)).length;
    if (pending === 0) return [];
    begin(pending);
    return withLock(session, signal, async () => {
      await session.exec(createMigrationsTable);
      if (retryFailed) await forgetFailures(session, migrations);
      const applied: string[] = [];
      // Read again: another process may have applied them during the wait for the lock.
      for (const migration of await findPending(session, migrations, false)) {
        await applyMigration(session, migration);
        applied.push(migration.name);
      }
      return applied;
    });
  });
}

/**
 * Lists the pending migrations, and failed ones if these are retried.
 * @throws {MigrationError} if the state of a migration forbids applying others
 */
async function findPending(session: SqlSession, migrations: Migration[], retryFailed: boolean): Promise<Migration[]> {
  const statuses = await compareMigrations(session, migrations);
  for (const state of retryFailed ? blockingStates.filter((each) => each !== 'failed') : blockingStates) {
    const blocking = statuses.filter((status) => status.state === state);
    if (blocking.length > 0) throw new MigrationError(remedies[state](blocking));
  }
  const open = new Set<MigrationState>(['pending', 'failed']);
  const names = new Set(statuses.filter(({ state }) => open.has(state)).map(({ name }) => name));
  return migrations.filter(({ name }) => names.has(name));
}

const blockingStates = ['missing', 'edited', 'failed'] as const;

const remedies: Record<(typeof blockingStates)[number], (blocking: MigrationStatus[]) => string> = {
  missing: (blocking) =>
    `The database is ahead of this version of Entryway: it has the migrations ${joinNames(blocking)}, which are unknown ` +
    'here. Start the version that applied them, or a later one.',
  edited: (blocking) =>
    `The migrations ${joinNames(blocking)} were edited after they had been applied to this database. Restore their files, ` +
    'and put the change into a new migration.',
  failed: (blocking) =>
    `The migrations ${joinNames(blocking)} failed on this database (${blocking[0]?.logs ?? 'no message was recorded'}). Put that right, ` +
    'then run "entryway migrate --retry-failed", or see "prisma migrate resolve".',
};

function joinNames(statuses: MigrationStatus[]): string {
  return statuses.map(({ name }) => name).join(', ');
}

/**
 * Runs `work` under the advisory lock. Polls instead of waiting in the database: a waiting statement holds a snapshot, and
 * an index that the other process builds concurrently could never finish.
 */
async function withLock<T>(session: SqlSession, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + lockTimeoutMilliseconds;
  for (;;) {
    const [lock] = await session.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS "taken"', [lockKey]);
    if (lock?.taken === true) break;
    if (performance.now() > giveUpAt) {
      throw new MigrationError(
        `Another process has been migrating this database for more than ${lockTimeoutMilliseconds / 1000} seconds. ` +
          'Wait until it is done, or end it; then start again.',
      );
    }
    await sleep(lockRetryMilliseconds, undefined, { ...(signal && { signal }) });
  }
  try {
    return await work();
  } finally {
    await unlock(session);
  }
}

/**
 * Releases the lock. A failure is ignored: the connection is lost then, which releases the lock and makes `work` fail
 * as well.
 */
async function unlock(session: SqlSession): Promise<void> {
  await session.exec(`SELECT pg_advisory_unlock(${lockKey})`).catch(() => undefined);
}

/** Marks failed migrations as rolled back, so that they are pending again. */
async function forgetFailures({ query }: SqlSession, migrations: Migration[]): Promise<void> {
  await query(
    `UPDATE "_prisma_migrations" SET "rolled_back_at" = now()
     WHERE "finished_at" IS NULL AND "rolled_back_at" IS NULL AND "migration_name" = ANY($1::text[])`,
    [migrations.map(({ name }) => name)],
  );
}

/**
 * Limits of a migration's wait for a lock: milliseconds per attempt, and attempts. A waiting migration blocks the
 * statements behind it, so that behind a long transaction it would block all of them.
 */
const maxLockWait = 3_000;
const maxLockAttempts = 40;
const pauseBetweenAttempts = 1_000;

/** SQLSTATEs of conflicts with other transactions: a lock that is not available, a deadlock, a serialization failure. */
const lockConflictCodes = new Set(['55P03', '40P01', '40001']);

/**
 * Applies one migration, as soon as the transactions of others let it.
 * @throws {MigrationError} if it fails; it has no effect then, except for the record of the failure
 */
async function applyMigration(session: SqlSession, migration: Migration): Promise<void> {
  const startedAt = new Date().toISOString();
  for (let attempt = 1; ; attempt += 1) {
    try {
      await runMigration(session, migration, startedAt);
      return;
    } catch (error) {
      if (
        attempt < maxLockAttempts &&
        error instanceof Error &&
        'code' in error &&
        lockConflictCodes.has(String(error.code))
      ) {
        await session.exec('ROLLBACK');
        await sleep(pauseBetweenAttempts);
        continue;
      }
      const reason = error instanceof Error ? error.message : String(error);
      const recorded = await recordFailure(session, migration, startedAt, reason);
      const outcome = recorded
        ? `failed, and has been rolled back: ${reason}. Put that right, then run "entryway migrate --retry-failed".`
        : `was cut off: ${reason}. It was applied as a whole or not at all: start again.`;
      throw new MigrationError(`The migration ${migration.name} ${outcome}`, { cause: error });
    }
  }
}

/** Runs a migration, and records it, in one transaction. @throws the first failure, with the transaction open */
async function runMigration(session: SqlSession, { name, checksum, sql }: Migration, startedAt: string): Promise<void> {
  await session.exec('BEGIN');
  await session.exec(`SET LOCAL lock_timeout = ${maxLockWait}`);
  // Where tables are distributed, a transaction that changes several of them has to change their parts one by one.
  await session.exec(`SELECT set_config('citus.multi_shard_modify_mode', 'sequential', TRUE)
    FROM pg_extension WHERE extname = 'citus'`);
  // One after the other, because Citus refuses several at once where a table is distributed.
  for (const statement of splitStatements(sql)) await session.exec(statement);
  await session.query(
    `INSERT INTO "_prisma_migrations"
       ("id", "checksum", "migration_name", "started_at", "finished_at", "applied_steps_count")
     VALUES ($1, $2, $3, $4::timestamptz, now(), 1)`,
    [randomUUID(), checksum, name, startedAt],
  );
  await session.exec('COMMIT');
}

/** Rolls back and records a failure. @returns false if ROLLBACK fails: the connection is lost, and the server rolls back */
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
