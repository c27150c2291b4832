// `entryway user`: creates, lists and deletes users, which are backoffice accounts.
import type { Command } from 'commander';
import { tableIn } from '../databaseName.ts';
import { asOperator } from '../operator/operator.ts';
import { timeText, type Result } from '../../../clients/cli/src/terminal/output.ts';
import { printing, tablesHelp } from '../operator/run.ts';
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';
import { displayName, emailAddress, newEmailAddress } from '../values.ts';

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
  command
    .command('delete')
    .description('delete a user with their tokens and memberships, for good; takes effect within a second')
    .requiredOption('--email <address>', 'the address of the user')
    .requiredOption('--confirm <address>', 'the address again')
    .addHelpText('after', tablesHelp)
    .action(printing(remove));
}

/** @throws {Refusal} if the address or the name is not valid; conflict if the address is taken */
async function create(options: { email: string; name?: string }): Promise<Result> {
  const email = newEmailAddress(options.email);
  const name = options.name === undefined ? null : displayName(options.name);
  return asOperator(async ({ call, database, where }) => {
    const { id, createdAt } = await call('createUser', { email, name });
    const next = `Make it a member of a site: entryway member add --site <id> --user ${email}`;
    return {
      json: { id, email, name, created_at: createdAt, database },
      text: `Created the user ${email} in ${where}. ${next}`,
    };
  });
}

async function list(): Promise<Result> {
  return asOperator(async ({ call, where }) => {
    const users = await call('listUsers', {});
    const rows = users.map(({ email, name, sites, createdAt }) => [
      email,
      name ?? '',
      sites.join(' '),
      timeText(createdAt, ''),
    ]);
    return {
      json: users.map(({ id, email, name, sites, createdAt }) => ({ id, email, name, sites, created_at: createdAt })),
      text: tableIn(
        where,
        ['email', 'name', 'sites', 'created'],
        rows,
        `There are no users yet in ${where}. Make one: entryway user create --email <address>`,
      ),
    };
  });
}

/** @throws {Refusal} if `confirm` is another address; not_found if there is no such user */
async function remove(options: { email: string; confirm: string }): Promise<Result> {
  const [email, confirm] = [emailAddress(options.email), emailAddress(options.confirm)];
  if (confirm !== email) {
    throw new Refusal(`--confirm must repeat the address of the user that is to be deleted: give --confirm ${email}.`);
  }
  return asOperator(async ({ call, database, where }) => {
    const { id, tokens, memberships } = await call('deleteUser', { email, confirm });
    return {
      json: { id, email, deleted: { tokens, memberships }, database },
      text: `Deleted the user ${email} with ${tokens} tokens and ${memberships} memberships from ${where}.`,
    };
  });
}
