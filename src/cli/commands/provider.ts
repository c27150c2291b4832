// `entryway provider`: adds, lists and removes the OpenID Connect providers by which users sign in (docs/contract.md §14.8).
import type { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { foldAscii } from '../../fields/email.ts';
import { findIssuerFault, isClientId, isDomain, maxDomains } from '../../features/signIn/providers/input.ts';
import { isHandle } from '../../rules/names.ts';
import type { Result } from '../../../clients/cli/src/terminal/output.ts';
import { timeText } from '../../../clients/cli/src/terminal/output.ts';
import { UsageError } from '../../../clients/cli/src/terminal/refusal.ts';
import { tableIn } from '../databaseName.ts';
import { asOperator } from '../operator/operator.ts';
import { printing, tablesHelp } from '../operator/run.ts';
import { readClientSecret } from '../password.ts';
import { displayName } from '../values.ts';

interface AddOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly name?: string;
  readonly domains?: string;
}

const addHelp = `
The client's secret is prompted for, or is the first line of standard input. Register the address that the command prints
with the provider, as the one to which it sends people back. Whom the provider calls by a verified address of a user, or of
somebody who is invited, is signed in as that user: --domains restricts that to addresses of domains that the provider may vouch for.
`;

export function define(command: Command): void {
  command
    .command('add')
    .argument('<id>', 'an id of your choice, which becomes part of addresses')
    .description('let users sign in by an OpenID Connect provider')
    .requiredOption('--issuer <url>', 'the issuer, as the provider spells it')
    .requiredOption('--client-id <id>', 'the id that the provider gave this service')
    .option('--name <name>', 'the name on the button; absent: the id')
    .option('--domains <domains>', 'the domains of addresses that it may link, with commas; absent: all')
    .addHelpText('after', addHelp + tablesHelp)
    .action(printing(add));
  command.command('list').description('list the providers').addHelpText('after', tablesHelp).action(printing(list));
  command
    .command('remove')
    .argument('<id>', 'the id of the provider')
    .description('remove a provider; ends its links, and the sign-ins made by it, within a second')
    .addHelpText('after', tablesHelp)
    .action(printing(remove));
}

/** @throws {UsageError} for a setting that is none; conflict if there is such a provider */
async function add(id: string, options: AddOptions): Promise<Result> {
  const provider = { id: providerId(id), ...readSettings(id, options) };
  const redirectUri = returnAddress(id);
  const clientSecret = await readClientSecret();
  return asOperator(async ({ call, database, where }) => {
    const { name, issuer, clientId, domains } = await call('addProvider', { ...provider, clientSecret });
    return {
      json: { id, name, issuer, client_id: clientId, domains, redirect_uri: redirectUri, database },
      text: `Added the provider ${id} in ${where}. The address to which it sends people back:\n${redirectUri}`,
    };
  });
}

function readSettings(
  id: string,
  { issuer, clientId, name, domains }: AddOptions,
): { readonly issuer: string; readonly clientId: string; readonly name: string; readonly domains: string[] } {
  const fault = findIssuerFault(issuer);
  if (fault !== null) throw new UsageError(`--issuer ${fault}.`);
  if (!isClientId(clientId))
    throw new UsageError('--client-id must have 1 to 255 characters of ASCII, without spaces.');
  return { issuer, clientId, name: name === undefined ? id : displayName(name), domains: readDomains(domains) };
}

/** @throws {UsageError} for a text that is not a domain, and for too many */
function readDomains(text: string | undefined): string[] {
  if (text === undefined) return [];
  const domains = [...new Set(text.split(',').map((each) => foldAscii(each.trim())))];
  const wrong = domains.find((each) => !isDomain(each));
  if (wrong !== undefined) throw new UsageError(`--domains: "${wrong}" is not a domain, such as example.com.`);
  if (domains.length > maxDomains) throw new UsageError(`--domains: at most ${maxDomains} domains.`);
  return domains;
}

/** @throws {UsageError} if a provider can't have the id */
function providerId(text: string): string {
  if (isHandle(text)) return text;
  throw new UsageError(`"${text}" is not an id of a provider: use lower-case letters, digits and hyphens.`);
}

/** The address to which a provider sends people back. @throws {UsageError} in production without PUBLIC_URL */
function returnAddress(id: string): string {
  const { publicUrl, port, production } = readConfig(process.env);
  if (production && publicUrl === undefined) {
    throw new UsageError('In production providers need PUBLIC_URL: set it for the service, and for this command.');
  }
  return `${publicUrl ?? `http://localhost:${port}`}/auth/oidc/${id}/callback`;
}

async function list(): Promise<Result> {
  return asOperator(async ({ call, where }) => {
    const providers = await call('listProviders', {});
    return {
      json: providers.map(({ id, name, issuer, clientId, domains, links, createdAt }) => {
        return { id, name, issuer, client_id: clientId, domains, links, created_at: createdAt };
      }),
      text: tableIn(
        where,
        ['provider', 'name', 'issuer', 'domains', 'links', 'created'],
        providers.map(({ id, name, issuer, domains, links, createdAt }) => {
          return [id, name, issuer, domains.join(' '), String(links), timeText(createdAt, '')];
        }),
        `There are no providers in ${where}.`,
      ),
    };
  });
}

/** @throws not_found for the id of no provider */
async function remove(id: string): Promise<Result> {
  return asOperator(async ({ call, database, where }) => {
    const { links, signIns } = await call('removeProvider', { id: providerId(id) });
    return {
      json: { id, ended: { links, sign_ins: signIns }, database },
      text: `Removed the provider ${id} from ${where}. ${links} links and ${signIns} sign-ins ended.`,
    };
  });
}
