// `entryway site`: creates and lists sites, which are the tenants of the service.
import type { Command } from 'commander';
import { table, timeText, type Result } from './output.ts';
import { operations } from '../resolvers/index.ts';
import { perform } from '../resolvers/perform.ts';
import { asOperator } from './operator.ts';
import { printing, tablesHelp } from './run.ts';
import { displayName, siteId } from './values.ts';

export function define(command: Command): void {
  command
    .command('create')
    .argument('<id>', 'its id, which requests name in X-Service-Site; it never changes')
    .description('create a site')
    .option('--name <name>', 'its name, for people; default: its id')
    .addHelpText('after', tablesHelp)
    .action(printing(create));
  command.command('list').description('list the sites').addHelpText('after', tablesHelp).action(printing(list));
}

/** @throws {Refusal} where the id or the name is not valid; conflict where the id is taken */
async function create(text: string, options: { name?: string }): Promise<Result> {
  const id = siteId(text);
  const name = displayName(options.name ?? id);
  const { createdAt } = await asOperator((context) => perform(operations.createSite, { id, name }, context));
  return {
    json: { id, name, created_at: createdAt },
    text: `Created the site ${id}. Its tokens: entryway token create --kind master|public --site ${id}`,
  };
}

async function list(): Promise<Result> {
  const sites = await asOperator((context) => perform(operations.listSites, {}, context));
  return {
    json: sites.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt })),
    text: table(
      ['id', 'name', 'created'],
      sites.map(({ id, name, createdAt }) => [id, name, timeText(createdAt, '')]),
      'There are no sites yet. Make one: entryway site create <id>',
    ),
  };
}
