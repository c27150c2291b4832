// `entryway user`: backoffice accounts.
import type { Command } from 'commander';
import { v7 as uuidv7 } from 'uuid';
import { table, timeText, type Result } from './output.ts';
import { printing, Refusal, tablesHelp, withTables } from './run.ts';
import { displayName, emailAddress } from './values.ts';

export function define(command: Command): void {
  command
    .command('create')
    .description('create a user')
    .requiredOption('--email <address>', 'what commands call the user; capitals make no difference')
    .option('--name <name>', 'the name, for people')
    .addHelpText('after', tablesHelp)
    .action(printing(create));
  command.command('list').description('list the users').addHelpText('after', tablesHelp).action(printing(list));
}

/** @throws {Refusal} where the address or the name does not do, or the address is taken */
async function create(options: { email: string; name?: string }): Promise<Result> {
  const email = emailAddress(options.email);
  const name = options.name === undefined ? null : displayName(options.name);
  const user = { id: uuidv7(), email, name, createdAt: new Date() };
  const { count } = await withTables((prisma) => prisma.user.createMany({ data: [user], skipDuplicates: true }));
  if (count === 0) throw new Refusal(`There is a user "${email}" already: use another address, or that user.`);
  return {
    json: { id: user.id, email, name, created_at: user.createdAt },
    text: `Created the user ${email}. Let it into a site: entryway member add --site <id> --user ${email}`,
  };
}

async function list(): Promise<Result> {
  const users = await withTables((prisma) =>
    prisma.user.findMany({
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      include: { memberships: { select: { siteId: true }, orderBy: { siteId: 'asc' } } },
    }),
  );
  const rows = users.map(({ memberships, ...user }) => ({ ...user, sites: memberships.map(({ siteId }) => siteId) }));
  return {
    json: rows.map(({ id, email, name, sites, createdAt }) => ({ id, email, name, sites, created_at: createdAt })),
    text: table(
      ['email', 'name', 'sites', 'created'],
      rows.map(({ email, name, sites, createdAt }) => [email, name ?? '', sites.join(' '), timeText(createdAt, '')]),
      'There are no users yet. Make one: entryway user create --email <address>',
    ),
  };
}
