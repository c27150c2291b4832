// `entryway member`: makes users members of sites, invites people, ends memberships, and lists them.
import type { Command } from 'commander';
import { tableIn } from '../databaseName.ts';
import { asOperator } from '../operator/operator.ts';
import { timeText, type Result } from '../../../clients/cli/src/terminal/output.ts';
import { printing, tablesHelp } from '../operator/run.ts';
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';
import { invitationJson, invitationText, linkUrl } from '../links.ts';
import { collectValues, emailAddress, newEmailAddress, repeatedAddress } from '../values.ts';
import { siteId } from '../../../clients/cli/src/service/ids.ts';

interface MemberOptions {
  readonly site: string;
  readonly user: string;
  readonly role?: string[];
}

export function define(command: Command): void {
  withBoth(command.command('add').description('make a user a member of a site, or give a member roles'))
    .option('--role <id>', 'a role that the member gets; may be given several times', collectValues)
    .action(printing(add));
  withBoth(
    command.command('remove').description("end a user's membership of a site; takes effect within a second"),
  ).action(printing(remove));
  command
    .command('invite')
    .description('print a link that makes whoever has an address a member of a site: once, and within 7 days')
    .requiredOption('--site <id>', 'the site')
    .requiredOption('--email <address>', 'the address; who has it and is no user yet becomes one')
    .option('--role <id>', 'a role that the member gets; may be given several times', collectValues)
    .addHelpText('after', inviteHelp + tablesHelp)
    .action(printing(invite));
  command
    .command('list')
    .description('list the members of a site, or the memberships of a user')
    .option('--site <id>', 'the site')
    .option('--user <email>', 'the user')
    .addHelpText('after', tablesHelp)
    .action(printing(list));
}

const inviteHelp = `
The link is shown only once: give it to whom it is for. No mail is sent. Whether the address has an account is not told.
`;

function withBoth(command: Command): Command {
  return command
    .requiredOption('--site <id>', 'the site')
    .requiredOption('--user <email>', 'the user')
    .addHelpText(
      'after',
      `\nA membership that is as asked already is not a failure: nothing is changed.\n${tablesHelp}`,
    );
}

/** @throws not_found if there is no such site or user */
async function add(options: MemberOptions): Promise<Result> {
  return setMembership(options, true);
}

/** @throws not_found if there is no such site or user */
async function remove(options: MemberOptions): Promise<Result> {
  return setMembership(options, false);
}

async function setMembership(options: MemberOptions, isMember: boolean): Promise<Result> {
  const [site, user] = [siteId(options.site), emailAddress(options.user)];
  return asOperator(async ({ call, database, where }) => {
    const roles = options.role ?? [];
    const { isChanged: changed, invitation } = await call('changeMembership', { site, user, isMember, roles });
    if (invitation !== null) {
      const json = { site, user: repeatedAddress(user), invitation: invitationJson(invitation), database };
      return { json, text: invitationText(invitation, `${site}, in ${where}`) };
    }
    const outcome = isMember ? `is a member of ${site}` : `is not a member of ${site}`;
    const since = isMember ? (changed ? '' : ' already') : changed ? ' any more' : '';
    return {
      json: {
        site,
        user: repeatedAddress(user),
        member: isMember,
        changed,
        database,
        ...(roles.length > 0 && { roles }),
      },
      text: `${repeatedAddress(user)} ${outcome}${since}${roles.length > 0 ? `, with the roles ${roles.join(', ')}` : ''}, in ${where}.`,
    };
  });
}

/** @throws not_found if there is no such site; conflict if there is an open invitation for the address */
async function invite(options: { site: string; email: string; role?: string[] }): Promise<Result> {
  const [site, email] = [siteId(options.site), newEmailAddress(options.email)];
  return asOperator(async ({ call, database, where }) => {
    const { id, roles, token, expiresAt } = await call('inviteMember', { site, email, roles: options.role ?? [] });
    const url = linkUrl(token);
    return {
      json: { id, site, email, roles, url, expires_at: expiresAt, database },
      text: `A link that makes ${email} a member of ${site} in ${where}, good once and until ${timeText(expiresAt, '')}:\n${url}`,
    };
  });
}

/** @throws {Refusal} unless either a site or a user is named; not_found if there is no such site or user */
async function list(options: Partial<MemberOptions>): Promise<Result> {
  if ((options.site === undefined) === (options.user === undefined)) {
    throw new Refusal('Memberships are listed for a site or for a user: give --site or --user, and not both.');
  }
  const filter =
    options.site === undefined ? { user: emailAddress(options.user ?? '') } : { site: siteId(options.site) };
  return asOperator(async ({ call, where }) => {
    const members = await call('listMembers', filter);
    const rows = members.map(({ site, user, name, roles, createdAt }) => {
      return [site, user, name ?? '', roles.join(' '), timeText(createdAt, '')];
    });
    return {
      json: members.map(({ site, user, name, roles, createdAt }) => ({
        site,
        user,
        name,
        roles,
        created_at: createdAt,
      })),
      text: tableIn(
        where,
        ['site', 'user', 'name', 'roles', 'since'],
        rows,
        `There are no such memberships in ${where}. Make one: entryway member add --site <id> --user <email>`,
      ),
    };
  });
}
