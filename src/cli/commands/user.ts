// `entryway user`: creates, lists and deletes users, which are backoffice accounts, and manages how they sign in.
import type { Command } from 'commander';
import { tableIn } from '../databaseName.ts';
import { linkUrl } from '../links.ts';
import { readPasswordHash } from '../password.ts';
import { asOperator } from '../operator/operator.ts';
import { timeText, type Result } from '../../../clients/cli/src/terminal/output.ts';
import { printing, tablesHelp } from '../operator/run.ts';
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';
import { displayName, emailAddress, newEmailAddress, repeatedAddress } from '../values.ts';

const passwordHelp = `
The password is prompted for, or is the first line of standard input. It has 12 to 256 characters, and is not the address.
`;

const linkHelp = `
The link is shown only once: give it to the user. Setting the password by it ends the user's sign-ins, personal
tokens and links to providers. A new link takes over from older ones.
`;

export function define(command: Command): void {
  command
    .command('create')
    .description('create a user')
    .requiredOption(
      '--email <address>',
      'the address, by which commands name the user; letter case makes no difference',
    )
    .option('--name <name>', 'the name, for people')
    .option('--password', 'with a password, which is prompted for, or is the first line of standard input')
    .addHelpText('after', tablesHelp)
    .action(printing(create));
  command
    .command('password')
    .description('set the password of a user; ends their sign-ins, personal tokens and links to providers')
    .requiredOption('--email <address>', 'the address of the user')
    .addHelpText('after', passwordHelp + tablesHelp)
    .action(printing(setPassword));
  command
    .command('link')
    .description('print a link that sets the password of a user: once, and within 24 hours')
    .requiredOption('--email <address>', 'the address of the user')
    .option('--keep-tokens', 'personal tokens stay valid when the password is set')
    .option('--keep-links', 'links to sign-in providers stay when the password is set')
    .addHelpText('after', linkHelp + tablesHelp)
    .action(printing(makeLink));
  command
    .command('sign-out')
    .description('end all sign-ins of a user; takes effect within a second')
    .requiredOption('--email <address>', 'the address of the user')
    .option('--tokens', 'revoke their personal tokens, too')
    .option('--links', 'end their links to sign-in providers, too')
    .addHelpText('after', tablesHelp)
    .action(printing(signOut));
  command.command('list').description('list the users').addHelpText('after', tablesHelp).action(printing(list));
  command
    .command('delete')
    .description('delete a user with their tokens, sign-ins and memberships, for good; takes effect within a second')
    .requiredOption('--email <address>', 'the address of the user')
    .requiredOption('--confirm <address>', 'the address again')
    .addHelpText('after', tablesHelp)
    .action(printing(remove));
}

/** @throws {Refusal} if the address or the name is not valid; conflict if the address is taken */
async function create(options: { email: string; name?: string; password?: true }): Promise<Result> {
  const email = newEmailAddress(options.email);
  const name = options.name === undefined ? null : displayName(options.name);
  const stored = options.password === undefined ? null : await readPasswordHash(email);
  return asOperator(async ({ call, database, where }) => {
    const { id, createdAt } = await call('createUser', { email, name, stored });
    const next = `Make it a member of a site: entryway member add --site <id> --user ${email}`;
    return {
      json: { id, email, name, created_at: createdAt, database },
      text: `Created the user ${email} in ${where}. ${next}`,
    };
  });
}

/** @throws {Refusal} if the password breaks the rule; not_found if there is no such user */
async function setPassword(options: { email: string }): Promise<Result> {
  const address = emailAddress(options.email);
  const stored = await readPasswordHash(address);
  return asOperator(async ({ call, database, where }) => {
    const { email, signIns, tokens, links } = await call('setPassword', { email: address, stored });
    return {
      json: { email, ended: { sign_ins: signIns, tokens, links }, database },
      text: `Set the password of ${email} in ${where}. ${sayEnded(signIns, tokens, links)} ended.`,
    };
  });
}

/** @throws not_found if there is no such user */
async function makeLink(options: { email: string; keepTokens?: true; keepLinks?: true }): Promise<Result> {
  const kept = { keepTokens: options.keepTokens ?? false, keepLinks: options.keepLinks ?? false };
  return asOperator(async ({ call, database, where }) => {
    const { email, token, expiresAt } = await call('createUserLink', { email: emailAddress(options.email), ...kept });
    const url = linkUrl(token);
    return {
      json: { email, url, expires_at: expiresAt, database },
      text: `A link for ${email} in ${where}, good once and until ${timeText(expiresAt, '')}:\n${url}`,
    };
  });
}

/** @throws not_found if there is no such user */
async function signOut(options: { email: string; tokens?: true; links?: true }): Promise<Result> {
  const input = { email: emailAddress(options.email), tokens: options.tokens ?? false, links: options.links ?? false };
  return asOperator(async ({ call, database, where }) => {
    const { email, signIns, tokens, links } = await call('signUserOut', input);
    return {
      json: { email, ended: { sign_ins: signIns, tokens, links }, database },
      text: `Ended ${sayEnded(signIns, tokens, links)} of ${email} in ${where}.`,
    };
  });
}

function sayEnded(signIns: number, tokens: number, links: number): string {
  return `${signIns} sign-ins, ${tokens} tokens and ${links} links to providers`;
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
  if (repeatedAddress(confirm) !== repeatedAddress(email)) {
    throw new Refusal(`--confirm must repeat the address of the user that is to be deleted: give --confirm ${email}.`);
  }
  return asOperator(async ({ call, database, where }) => {
    const { id, tokens, memberships } = await call('deleteUser', { email, confirm: email });
    return {
      json: { id, email: repeatedAddress(email), deleted: { tokens, memberships }, database },
      text: `Deleted the user ${repeatedAddress(email)} with ${tokens} tokens and ${memberships} memberships from ${where}.`,
    };
  });
}
