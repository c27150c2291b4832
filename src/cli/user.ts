// `entryway user`: creates and lists users, which are backoffice accounts.
import type { Command } from 'commander';
import { operations } from '../resolvers/index.ts';
import { perform } from '../resolvers/perform.ts';
import { asOperator } from './operator.ts';
import { table, timeText, type Result } from './output.ts';
import { printing, tablesHelp } from './run.ts';
import { displayName, emailAddress } from './values.ts';

export function define(command: Command): void {
  command
    .command('create')
    .description('create a user')
    .requiredOption(
      '--email <address>',
      'the address, by which commands name the user; letter case makes no difference',
    )
    .option('--name <name>', 'the name, for people')
    .addHelpText('after', tablesHelp)
    .action(printing(create));
  command.command('list').description('list the users').addHelpText('after', tablesHelp).action(printing(list));
}

/** @throws {Refusal} where the address or the name is not valid; conflict where the address is taken */
async function create(options: { email: string; name?: string }): Promise<Result> {
  const email = emailAddress(options.email);
  const name = options.name === undefined ? null : displayName(options.name);
  const user = await asOperator((context) => perform(operations.createUser, { email, name }, context));
  return {
    json: { id: user.id, email, name, created_at: user.createdAt },
    text: `Created the user ${email}. Make it a member of a site: entryway member add --site <id> --user ${email}`,
  };
}

async function list(): Promise<Result> {
  const rows = await asOperator((context) => perform(operations.listUsers, {}, context));
  return {
    json: rows.map(({ id, email, name, sites, createdAt }) => ({ id, email, name, sites, created_at: createdAt })),
    text: table(
      ['email', 'name', 'sites', 'created'],
      rows.map(({ email, name, sites, createdAt }) => [email, name ?? '', sites.join(' '), timeText(createdAt, '')]),
      'There are no users yet. Make one: entryway user create --email <address>',
    ),
  };
}
