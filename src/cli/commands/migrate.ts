// `entryway migrate`: applies pending migrations, or lists all of them.
import type { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { databaseWords, nameDatabase, tableIn } from '../databaseName.ts';
import { asOperator } from '../operator/operator.ts';
import type { Result } from '../../../clients/cli/src/terminal/output.ts';
import { printing, withDatabase } from '../operator/run.ts';

export function define(command: Command): void {
  command
    .option('--retry-failed', 'apply a migration again that failed and was rolled back')
    .addHelpText('after', '\n"entryway serve" applies pending migrations by itself when it starts.')
    .action(printing(apply));
  command.command('status').description('list the migrations with their states').action(printing(showStatus));
}

/** @throws {MigrationError} */
async function apply({ retryFailed = false }: { retryFailed?: boolean }): Promise<Result> {
  const database = nameDatabase(readConfig(process.env));
  const where = databaseWords(database);
  const applied = await withDatabase(async (opened) => {
    const { migrate } = await import('../../database/migrations/migrate.ts');
    return migrate(opened, { retryFailed });
  });
  const text =
    applied.length === 0 ? `Nothing to do: ${where} is up to date.` : `Applied: ${applied.join(', ')}\n\nIn ${where}.`;
  return { json: { applied, database }, text };
}

async function showStatus(): Promise<Result> {
  return asOperator(async ({ call, where }) => {
    const statuses = await call('listMigrations', {});
    const rows = statuses.map(({ name, state }) => [name, state]);
    return {
      json: statuses.map(({ name, state, logs }) => ({ name, state, ...(logs !== null && { logs }) })),
      text: tableIn(where, ['migration', 'state'], rows, 'There are no migrations.'),
    };
  }, withDatabase);
}
