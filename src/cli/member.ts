// `entryway member`: makes users members of sites, and ends memberships.
import type { Command } from 'commander';
import type { Result } from './output.ts';
import { operations } from '../resolvers/index.ts';
import { perform } from '../resolvers/perform.ts';
import { asOperator } from './operator.ts';
import { printing, tablesHelp } from './run.ts';
import { emailAddress, siteId } from './values.ts';

interface Options {
  readonly site: string;
  readonly user: string;
}

export function define(command: Command): void {
  withBoth(command.command('add').description('make a user a member of a site')).action(printing(add));
  withBoth(
    command.command('remove').description("end a user's membership of a site; takes effect within a second"),
  ).action(printing(remove));
}

function withBoth(command: Command): Command {
  return command
    .requiredOption('--site <id>', 'the site')
    .requiredOption('--user <email>', 'the user')
    .addHelpText(
      'after',
      `\nA membership that is as asked already is not a failure: nothing is changed.\n${tablesHelp}`,
    );
}

/** @throws not_found where there is no such site or user */
async function add(options: Options): Promise<Result> {
  return change(options, true);
}

/** @throws not_found where there is no such site or user */
async function remove(options: Options): Promise<Result> {
  return change(options, false);
}

async function change(options: Options, isMember: boolean): Promise<Result> {
  const [site, user] = [siteId(options.site), emailAddress(options.user)];
  const changed = await asOperator((context) =>
    perform(operations.changeMembership, { site, user, isMember }, context),
  );
  return {
    json: { site, user, member: isMember, changed },
    text: isMember
      ? `${user} is a member of ${site}${changed ? '' : ' already'}.`
      : `${user} is not a member of ${site}${changed ? ' any more' : ''}.`,
  };
}
