// `entryway role`: lists, makes, changes and deletes roles of a site, which its members have (docs/contract.md §14.2).
import type { Command } from 'commander';
import { tableIn } from '../databaseName.ts';
import { asOperator } from '../operator/operator.ts';
import type { Result } from '../../../clients/cli/src/terminal/output.ts';
import { printing, tablesHelp } from '../operator/run.ts';
import { collectValues, displayName } from '../values.ts';
import { siteId } from '../../../clients/cli/src/service/ids.ts';

interface OfSite {
  readonly site: string;
}

const rightsHelp = `
A right is "read", "create", "update", "delete", "publish" or "access" on entries; "channels", "customers", "members", "tokens",
"webhooks", "audit" or "files"; or "*" for everything. "update:own" holds for own entries alone, and "update@news" in one channel.
`;

export function define(command: Command): void {
  command
    .command('list')
    .description('list the roles of a site, the built-in ones first')
    .requiredOption('--site <id>', 'the site')
    .addHelpText('after', tablesHelp)
    .action(printing(list));
  command
    .command('set')
    .argument('<id>', 'the id of the role')
    .description('make a role, or give one other rights; takes effect within a second')
    .requiredOption('--site <id>', 'the site')
    .option('--name <name>', 'its name, for people')
    .requiredOption('--right <right>', 'a right; may be given several times', collectValues)
    .addHelpText('after', rightsHelp + tablesHelp)
    .action(printing(set));
  command
    .command('delete')
    .argument('<id>', 'the id of the role')
    .description('delete a role: members lose it within a second')
    .requiredOption('--site <id>', 'the site')
    .requiredOption('--confirm <id>', 'the id of the role again')
    .addHelpText('after', tablesHelp)
    .action(printing(remove));
}

/** @throws not_found if there is no such site */
async function list(options: OfSite): Promise<Result> {
  const site = siteId(options.site);
  return asOperator(async ({ call, where }) => {
    const roles = await call('listRoles', { site });
    return {
      json: roles.map(({ id, name, rights, builtIn, createdAt, updatedAt }) => {
        return { id, name, rights, built_in: builtIn, created_at: createdAt, updated_at: updatedAt };
      }),
      text: tableIn(
        where,
        ['role', 'name', 'rights'],
        roles.map(({ id, name, rights, builtIn }) => [id, name ?? (builtIn ? '(built in)' : ''), rights.join(' ')]),
        'There are no roles.',
      ),
    };
  });
}

/** @throws not_found if there is no such site; validation_failed for what is no right; conflict for a built-in role */
async function set(id: string, options: OfSite & { name?: string; right: string[] }): Promise<Result> {
  const [site, rights] = [siteId(options.site), options.right];
  const name = options.name === undefined ? undefined : displayName(options.name);
  return asOperator(async ({ call, database, where }) => {
    const created = await call('setRole', { site, id, name, rights });
    return {
      json: { site, id, created, database },
      text: `${created ? 'Made' : 'Changed'} the role ${id} of ${site} in ${where}.`,
    };
  });
}

/** @throws not_found if there is no such site or role */
async function remove(id: string, options: OfSite & { confirm: string }): Promise<Result> {
  const site = siteId(options.site);
  return asOperator(async ({ call, database, where }) => {
    const members = await call('deleteRole', { site, id, confirm: options.confirm });
    return {
      json: { site, id, members, database },
      text: `Deleted the role ${id} of ${site} in ${where}. Members who had it: ${members}.`,
    };
  });
}
