// `entryway site`: creates, lists, shows, deletes, exports and imports sites, which are the tenants of the service.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { tableIn } from '../databaseName.ts';
import { asOperator, type OperatorAccess } from '../operator/operator.ts';
import type { CallResult } from '../operator/operatorCalls.ts';
import { table, timeText, type Result } from '../../../clients/cli/src/terminal/output.ts';
import { printing, tablesHelp } from '../operator/run.ts';
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';
import { invitationJson, invitationText } from '../links.ts';
import { displayName, emailAddress, repeatedAddress } from '../values.ts';
import { siteId } from '../../../clients/cli/src/service/ids.ts';

export function define(command: Command): void {
  command
    .command('create')
    .argument('<id>', 'its id, which requests name in X-Service-Site; it never changes')
    .description('create a site')
    .option('--name <name>', 'its name, for people; default: its id')
    .option('--owner <email>', 'a user who becomes its owner; one whom nobody has proved yet is invited')
    .addHelpText('after', tablesHelp)
    .action(printing(create));
  command.command('list').description('list the sites').addHelpText('after', tablesHelp).action(printing(list));
  command
    .command('show')
    .argument('<id>', 'the id of the site')
    .description('show a site, and how many channels, entries, customers, tokens and members it has')
    .addHelpText('after', tablesHelp)
    .action(printing(show));
  command
    .command('delete')
    .argument('<id>', 'the id of the site')
    .description('delete a site with all that belongs to it, for good')
    .requiredOption('--confirm <id>', 'the id of the site again')
    .addHelpText('after', deleteHelp + tablesHelp)
    .action(printing(remove));
  command
    .command('export')
    .argument('<id>', 'the id of the site')
    .description('write a whole site to a file, as of one moment, while the service runs')
    .requiredOption('-o, --output <file>', 'the file; one that is there is replaced once all is written')
    .addHelpText('after', siteExportHelp + tablesHelp)
    .action(
      printing(async (id: string, options: { output: string }) =>
        (await import('../moving/exportSite.ts')).exportSite(id, options),
      ),
    );
  command
    .command('import')
    .argument('<file>', 'the file of an export')
    .description('make a site of the file of an export: all of it, or nothing')
    .option('--as <id>', 'the id that the site gets; default: the one that it had')
    .addHelpText('after', siteImportHelp + tablesHelp)
    .action(
      printing(async (file: string, options: { as?: string }) =>
        (await import('../moving/importSite.ts')).importSite(file, options),
      ),
    );
}

const siteExportHelp = `
The file has the settings of the site, its channels, customers, members, webhooks and entries, with their ids, times,
owners, access lists and versions; of tokens and sessions what they are called, and no secret. Only its owner may read it.
`;

const siteImportHelp = `
The site is there once all of it is. Where the import ends before, nothing is left but what the next one deletes. Tokens,
sessions and webhooks are listed, and do not work: "entryway token rotate <id>" makes a token that does.
`;

const deleteHelp = `
First the tokens of the site are revoked and its memberships ended. Then all that it has is deleted in small steps, so
that other sites are served meanwhile. A deletion that was stopped goes on with the same command.
`;

/** @throws {Refusal} if the id or the name is not valid; conflict if the id is taken; not_found if there is no such user */
async function create(text: string, options: { name?: string; owner?: string }): Promise<Result> {
  const id = siteId(text);
  const owner = options.owner === undefined ? undefined : emailAddress(options.owner);
  const name = displayName(options.name ?? id);
  return asOperator(async ({ call, database, where }) => {
    const { createdAt, invitation } = await call('createSite', { id, name, owner });
    return {
      json: {
        id,
        name,
        created_at: createdAt,
        database,
        ...(invitation !== null && { invitation: invitationJson(invitation) }),
        ...(owner !== undefined && invitation === null && { owner: repeatedAddress(owner) }),
      },
      text: [
        `Created the site ${id} in ${where}. Its tokens: entryway token create --kind master|public --site ${id}`,
        ...(invitation === null ? [] : [invitationText(invitation, id)]),
      ].join('\n'),
    };
  });
}

async function list(): Promise<Result> {
  return asOperator(async ({ call, where }) => {
    const sites = await call('listSites', {});
    const rows = sites.map(({ id, name, createdAt }) => [id, name, timeText(createdAt, '')]);
    return {
      json: sites.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt })),
      text: tableIn(
        where,
        ['id', 'name', 'created'],
        rows,
        `There are no sites yet in ${where}. Make one: entryway site create <id>`,
      ),
    };
  });
}

/** @throws {Refusal} for a text that cannot be an id; not_found if there is no such site */
async function show(text: string): Promise<Result> {
  const siteToShow = siteId(text);
  return asOperator(async ({ call, database, where }) => {
    const { id, name, createdAt, ...shown } = await call('showSite', { id: siteToShow });
    const { channels, entries, customers, tokens, members } = shown;
    const counts = { channels, entries, customers, tokens, members };
    return {
      json: { id, name, created_at: createdAt, ...counts, database },
      text: [
        `The site ${id} ("${name}"), created ${timeText(createdAt, '')}, in ${where}.`,
        '',
        table(Object.keys(counts), [Object.values(counts).map(String)], ''),
      ].join('\n'),
    };
  });
}

/** Attempts of a deletion while other transactions lock rows of the site, and the pause between them. */
const maxWaits = 150;
const waitMilliseconds = 200;

/** @throws {Refusal} if `confirm` is another id, or rows stay locked; not_found if there is no such site */
async function remove(text: string, { confirm }: { confirm: string }): Promise<Result> {
  const id = siteId(text);
  if (confirm !== id) {
    throw new Refusal(`--confirm must repeat the id of the site that is to be deleted: give --confirm ${id}.`);
  }
  return asOperator(async (operator) => {
    const deleted = await deleteParts(id, operator);
    const counts = Object.entries(deleted).map(([kind, count]) => `${count} ${kind}`);
    const together = counts.length > 0 ? ` with ${counts.join(', ')}` : '';
    return {
      json: { id, deleted, database: operator.database },
      text: `Deleted the site ${id}${together} from ${operator.where}.`,
    };
  });
}

/** Deletes a site part by part. @returns the number of rows of each kind */
async function deleteParts(id: string, { call, where }: OperatorAccess): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  let from: string | null = null;
  for (let pauses = 0; pauses < maxWaits;) {
    const part: CallResult<'deleteSite'> = await call('deleteSite', { id, confirm: id, from });
    const { kind, count, isDone } = part;
    if (isDone) return deleted;
    from = kind;
    if (kind === null) {
      pauses += 1;
      await sleep(waitMilliseconds);
    } else {
      pauses = 0;
      deleted[kind] = (deleted[kind] ?? 0) + count;
    }
  }
  throw new Refusal(
    `Other transactions keep rows of the site ${id} locked in ${where}. Its tokens are revoked, and a part of it is ` +
      'deleted: run the command again to delete the rest.',
  );
}
