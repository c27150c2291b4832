// What commands share: the database opened, checked and closed around their work, and their result printed.
import { readConfig } from '../config.ts';
import type { Database } from '../database/database.ts';
import type { DatabaseClient } from '../database/client.ts';
import { print, type Result } from './output.ts';

/** A command can't do what it was asked for. The message says what is wrong, and what to do. */
export class Refusal extends Error {}

/** Why something failed, for a refusal's message. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For the help of commands that work on the tables: what becomes of the tables themselves. */
export const tablesHelp = `
Works on the database that DATABASE_URL names, or else on the embedded one in DATA_DIR (./data), which must not be in
use by a running service. An embedded database that does not exist yet is made; migrations that any other database
lacks are left to "entryway migrate".`;

/** An action that prints what its work results in. */
export function printing<Words extends unknown[]>(
  work: (...words: Words) => Promise<Result>,
): (...words: Words) => Promise<void> {
  return async (...words) => print(await work(...words));
}

/**
 * Works on the database of the environment, whatever state it is in.
 * @throws what reading the configuration, opening the database and the work throw
 */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  const { openDatabase } = await import('../database/open.ts');
  const database = await openDatabase(config);
  try {
    return await work(database);
  } finally {
    // A connection that fails to close was lost: the work has told so, or was done.
    await database.close().catch(() => undefined);
  }
}

/**
 * Works on the tables of the database of the environment.
 * @throws {Refusal} where migrations are pending, and what `withDatabase` throws
 */
export async function withTables<T>(work: (prisma: DatabaseClient) => Promise<T>): Promise<T> {
  return withDatabase(async (database) => {
    const { migrate, migrationStatus } = await import('../database/migrate.ts');
    const statuses = await migrationStatus(database);
    const unfit = statuses.filter(({ state }) => state !== 'applied');
    const isNew = database.kind === 'embedded' && statuses.every(({ state }) => state === 'pending');
    if (isNew) await migrate(database);
    else if (unfit.length > 0) {
      const names = unfit.map(({ name, state }) => `${name} (${state})`).join(', ');
      throw new Refusal(
        `The database does not fit this version of Entryway: ${names}. Run "entryway migrate", which applies what is ` +
          'pending and says what else there is to do, then this again.',
      );
    }
    return work(database.prisma);
  });
}
