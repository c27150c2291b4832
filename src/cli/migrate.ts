// `entryway migrate`: applies pending migrations, or lists all of them.
import type { Command } from 'commander';
import { table, type Result } from './output.ts';
import { printing, withDatabase } from './run.ts';

export function define(command: Command): void {
  command
    .option('--retry-failed', 'apply a migration again that failed and was rolled back')
    .addHelpText('after', '\n"entryway serve" applies pending migrations by itself when it starts.')
    .action(printing(apply));
  command.command('status').description('list the migrations with their states').action(printing(status));
}

/** @throws {MigrationError} */
async function apply({ retryFailed = false }: { retryFailed?: boolean }): Promise<Result> {
  const applied = await withDatabase(async (database) => {
    const { migrate } = await import('../database/migrate.ts');
    return migrate(database, { retryFailed });
  });
  const text = applied.length === 0 ? 'Nothing to do: the database is up to date.' : `Applied: ${applied.join(', ')}`;
  return { json: { applied }, text };
}

async function status(): Promise<Result> {
  const statuses = await withDatabase(async (database) => {
    const { migrationStatus } = await import('../database/migrate.ts');
    return migrationStatus(database);
  });
  return {
    json: statuses.map(({ name, state, logs }) => ({ name, state, ...(logs !== null && { logs }) })),
    text: table(
      ['migration', 'state'],
      statuses.map(({ name, state }) => [name, state]),
      'There are no migrations.',
    ),
  };
}
