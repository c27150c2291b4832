// `entryway member`: which users may enter which sites.
import type { Command } from 'commander';
import type { Result } from './output.ts';
import { printing, tablesHelp, withTables } from './run.ts';
import { emailAddress, findSite, findUser, siteId } from './values.ts';

interface Options {
  readonly site: string;
  readonly user: string;
}

export function define(command: Command): void {
  withBoth(command.command('add').description('let a user into a site')).action(printing(add));
  withBoth(command.command('remove').description('keep a user out of a site; it holds within a second')).action(
    printing(remove),
  );
}

function withBoth(command: Command): Command {
  return command
    .requiredOption('--site <id>', 'the site')
    .requiredOption('--user <email>', 'the user')
    .addHelpText('after', `\nTo do what is done already is no failure: it changes nothing.\n${tablesHelp}`);
}

/** @throws {Refusal} where there is no such site or user */
async function add(options: Options): Promise<Result> {
  return change(options, true);
}

/** @throws {Refusal} where there is no such site or user */
async function remove(options: Options): Promise<Result> {
  return change(options, false);
}

async function change(options: Options, member: boolean): Promise<Result> {
  const [id, email] = [siteId(options.site), emailAddress(options.user)];
  const count = await withTables(async (prisma) => {
    const [site, user] = [await findSite(prisma, id), await findUser(prisma, email)];
    const membership = { siteId: site.id, userId: user.id };
    const written = member
      ? prisma.membership.createMany({ data: [{ ...membership, createdAt: new Date() }], skipDuplicates: true })
      : prisma.membership.deleteMany({ where: membership });
    return (await written).count;
  });
  const changed = count > 0;
  return {
    json: { site: id, user: email, member, changed },
    text: member
      ? `${email} is a member of ${id}${changed ? '' : ' already'}.`
      : `${email} is no member of ${id}${changed ? ' any more' : ''}.`,
  };
}
