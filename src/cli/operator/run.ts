// Functions for all commands: opening, checking and closing the database around their work, and printing their result.
import { readConfig } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import { databaseWords, nameDatabase } from '../databaseName.ts';
import { print, type Result } from '../../../clients/cli/src/terminal/output.ts';
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';

/** A section of the help of commands that work on tables: the database that they open, and its migrations. */
export const tablesHelp = `
Works on the database that DATABASE_URL names, or else on the embedded one in DATA_DIR (./data): through the service
that runs on it, if one does. An embedded database that does not exist yet is created. For any other database, apply
pending migrations with "entryway migrate" first.`;

/** An action that prints the result of its work, unless that is null. */
export function printing<Words extends unknown[]>(
  work: (...words: Words) => Promise<Result | null>,
): (...words: Words) => Promise<void> {
  return async (...words) => {
    const result = await work(...words);
    if (result !== null) print(result);
  };
}

/**
 * Works on the database that the environment names, whatever the state of its migrations.
 * @throws the errors of reading the configuration, of opening the database and of the work
 */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const config = readConfig(process.env);
  const { openDatabase } = await import('../../database/open/open.ts');
  const database = await openDatabase(config);
  try {
    return await work(database);
  } finally {
    // A connection that fails to close was lost: the work has failed for that reason, or was finished before.
    await database.close().catch(() => undefined);
  }
}

/**
 * Works on the tables of the database that the environment names.
 * @throws {Refusal} if migrations are pending; and as `withDatabase`
 */
export async function withTables<T>(work: (database: Database) => Promise<T>): Promise<T> {
  return withDatabase(async (database) => {
    const { migrate, migrationStatus } = await import('../../database/migrations/migrate.ts');
    const statuses = await migrationStatus(database);
    const unfit = statuses.filter(({ state }) => state !== 'applied');
    const isNew = statuses.every(({ state }) => state === 'pending');
    const where = databaseWords(nameDatabase(readConfig(process.env)));
    if (isNew && database.kind === 'embedded') await migrate(database);
    else if (isNew) {
      throw new Refusal(
        `There is nothing of Entryway yet in ${where}. Run "npx entryway migrate" with the same DATABASE_URL, which ` +
          'makes the tables, and then this command again.',
      );
    } else if (unfit.length > 0) {
      const names = unfit.map(({ name, state }) => `${name} (${state})`).join(', ');
      throw new Refusal(
        `The tables in ${where} do not fit this version of Entryway: ${names}. Run "entryway migrate", which applies ` +
          'pending migrations and explains what else is wrong, and then this command again.',
      );
    }
    return work(database);
  });
}
