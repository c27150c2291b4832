// `entryway token`: creates, lists, revokes and rotates access tokens.
import { Option, type Command } from 'commander';
import { tableIn } from '../databaseName.ts';
import { expiryOf, overlapOf } from '../expiry.ts';
import { asOperator } from '../operator/operator.ts';
import type { CallResult } from '../operator/operatorCalls.ts';
import { timeText, type Result } from '../../../clients/cli/src/terminal/output.ts';
import { printing, tablesHelp } from '../operator/run.ts';
import { UsageError } from '../../../clients/cli/src/terminal/refusal.ts';
import { collectValues, displayName, emailAddress, repeatedAddress } from '../values.ts';
import { siteId } from '../../../clients/cli/src/service/ids.ts';

interface CreateOptions {
  readonly kind: 'master' | 'public' | 'user';
  readonly site?: string;
  readonly user?: string;
  readonly name?: string;
  readonly expires?: string;
  readonly scope: readonly string[];
}

interface ListOptions {
  readonly site?: string;
  readonly user?: string;
}

type ListedToken = CallResult<'revokeToken'>;

const kindsHelp = `
Kinds:
  master  of a site: for servers that are trusted; may do everything there
  public  of a site: for websites and apps; sees what visitors may see
  user    of a user: enters every site that the user is a member of, named in X-Service-Site; with --site that one alone

Scopes limit what a master or a user token may do: it has no right but those of --scope, each given by itself, such as read or
update@news, and a user token no more than its user has. They never change.
`;

const rotateHelp = `
The new token has the kind, the site or user, the scopes and the name of the old one. Where the old one has an expiry, the new one
has the same lifetime from now. The old one never works for longer than it would have. Both happen together, or not at
all.
`;

export function define(command: Command): void {
  command
    .command('create')
    .description('create a token, and print it; it is not shown again')
    .addOption(
      new Option('--kind <kind>', 'what it may do').choices(['master', 'public', 'user']).makeOptionMandatory(),
    )
    .option('--site <id>', 'the site that it belongs to; with the kind user the only one that it enters')
    .option('--user <email>', 'the user that it belongs to; with the kind user')
    .option('--name <name>', 'its name, for people')
    .option('--scope <right>', 'a right of its scopes; may be given again; default: no limit', collectValues, [])
    .option('--expires <when>', 'such as 90d, 12h, or 2030-12-31T23:59:59Z; default: never')
    .addHelpText('after', kindsHelp + tablesHelp)
    .action(printing(create));
  command
    .command('list')
    .description('list the tokens, revoked and expired ones included')
    .option('--site <id>', 'only those of a site')
    .option('--user <email>', 'only those of a user')
    .addHelpText('after', tablesHelp)
    .action(printing(list));
  command
    .command('revoke')
    .argument('<id>', 'its id, as "create" and "list" print it; not the token itself')
    .description('revoke a token for good; takes effect within a second')
    .addHelpText('after', tablesHelp)
    .action(printing(revoke));
  command
    .command('rotate')
    .argument('<id>', 'its id, as "create" and "list" print it; not the token itself')
    .description('replace a token: print a new one, and let the old one expire')
    .option('--overlap <time>', 'for how long the old one goes on working, such as 24h or 7d; 0 revokes it now', '24h')
    .option('--expires <when>', 'when the new one expires, as for "create", or never; default: it lasts as long')
    .addHelpText('after', rotateHelp + tablesHelp)
    .action(printing(rotate));
}

/** @throws {Refusal} if the options do not fit together; not_found if there is no such site or user */
async function create(options: CreateOptions): Promise<Result> {
  // One time for the token's creation and its expiry.
  const now = new Date();
  const holder = readHolder(options);
  const name = options.name === undefined ? null : displayName(options.name);
  const expiresAt = options.expires === undefined ? null : expiryOf(options.expires, now).toISOString();
  const { scope: scopes } = options;
  const settings = { name, expiresAt, scopes: scopes.length === 0 ? null : [...scopes] };
  return asOperator(async ({ call, database, where }) => {
    const created = await ('user' in holder
      ? call('createUserToken', { ...holder, ...settings }, now)
      : call('createSiteToken', { ...holder, ...settings }, now));
    const { id, kind, token } = created;
    const user = 'user' in holder ? { user: repeatedAddress(holder.user) } : {};
    const belongsTo = { ...user, ...(holder.site !== null && { site: holder.site }) };
    const of = Object.values(belongsTo).join(' in ');
    const scoped = created.scopes === null ? '' : `; scopes: ${created.scopes.join(' ') || 'none'}`;
    return {
      json: {
        id,
        kind,
        token,
        name,
        ...belongsTo,
        scopes: created.scopes,
        expires_at: expiresAt,
        created_at: now,
        database,
      },
      text: [
        token,
        '',
        `The ${kind} token ${id} of ${of}, in ${where}; expires: ${timeText(expiresAt, 'never')}${scoped}.`,
        notShownAgain,
      ].join('\n'),
    };
  });
}

const notShownAgain = 'It is not shown again: only a hash of it is stored.';

type Holder =
  | { readonly user: string; readonly site: string | null }
  | { readonly site: string; readonly kind: 'master' | 'public' };

/** The site or user of a new token. @throws {UsageError} if the kind needs other options */
function readHolder({ kind, site, user, scope }: CreateOptions): Holder {
  if (kind === 'user') {
    if (user === undefined) throw new UsageError('A token of the kind user belongs to a user: give --user.');
    if (scope.length > 0 && site === undefined) {
      throw new UsageError('A token of the kind user with scopes enters one site: give --site.');
    }
    return { user: emailAddress(user), site: site === undefined ? null : siteId(site) };
  }
  if (site === undefined || user !== undefined) {
    throw new UsageError(`A token of the kind ${kind} belongs to a site: give --site, and not --user.`);
  }
  if (kind === 'public' && scope.length > 0) throw new UsageError('A token of the kind public takes no --scope.');
  return { site: siteId(site), kind };
}

/** @throws not_found if there is no such site or user */
async function list({ site, user }: ListOptions): Promise<Result> {
  const filter = {
    ...(site !== undefined && { site: siteId(site) }),
    ...(user !== undefined && { user: emailAddress(user) }),
  };
  return asOperator(async ({ call, where }) => {
    const tokens = await call('listTokens', filter);
    const rows = tokens.map((token) => [
      token.id,
      token.kind,
      holderOf(token),
      token.name ?? '',
      timeText(token.createdAt, ''),
      timeText(token.lastUsedAt, 'never'),
      describeState(token, new Date()),
    ]);
    const headings = ['id', 'kind', 'of', 'name', 'created', 'last used', 'state'];
    return {
      json: tokens.map(describeToken),
      text: tableIn(where, headings, rows, `There are no such tokens in ${where}.`),
    };
  });
}

/** @throws bad_request for a text that can't be an id; not_found if there is no such token */
async function revoke(id: string): Promise<Result> {
  return asOperator(async ({ call, database, where }) => {
    const token = await call('revokeToken', { id });
    return {
      json: { ...describeToken(token), database },
      text: `The ${token.kind} token ${id} in ${where} is out of use since ${timeText(token.revokedAt, '')}.`,
    };
  });
}

/** @throws {Refusal} for an invalid option; not_found if there is no such token; conflict if it has ended */
async function rotate(id: string, options: { overlap: string; expires?: string }): Promise<Result> {
  const now = new Date();
  const overlap = overlapOf(options.overlap);
  const { expires } = options;
  const expiresAt =
    expires === undefined ? undefined : expires === 'never' ? null : expiryOf(expires, now).toISOString();
  return asOperator(async ({ call, database, where }) => {
    const { token, created, old } = await call('rotateToken', { id, overlap, expiresAt }, now);
    const until = old.hasSecret ? `works until ${timeText(old.expiresAt, '')}` : 'had no secret';
    const end = old.revokedAt === null ? until : 'is revoked';
    const of = holderOf(created);
    return {
      json: { ...describeToken(created), token, replaces: describeToken(old), database },
      text: [
        token,
        '',
        `The ${created.kind} token ${created.id} of ${of}, in ${where}; expires: ${timeText(created.expiresAt, 'never')}.`,
        `It replaces ${old.id}, which ${end}.`,
        notShownAgain,
      ].join('\n'),
    };
  });
}

/** The holder of a token: a site, a user, or a user in one site. */
function holderOf({ user, site }: ListedToken): string {
  return [user, site].filter((holder) => holder !== null).join(' in ');
}

/** A token as commands print it. Its secret is not available, since only the hash is stored. */
function describeToken(token: ListedToken): Record<string, unknown> {
  const { id, kind, name, site, user, createdAt, expiresAt, revokedAt, lastUsedAt, scopes, hasSecret } = token;
  const isOfBoth = user !== null && site !== null;
  return {
    id,
    kind,
    name,
    ...(user === null ? { site } : { user, ...(isOfBoth && { site }) }),
    scopes,
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
    last_used_at: lastUsedAt,
    has_secret: hasSecret,
  };
}

function describeState({ expiresAt, revokedAt, hasSecret }: ListedToken, now: Date): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && new Date(expiresAt) <= now) return 'expired';
  if (!hasSecret) return 'without secret: rotate it';
  return expiresAt === null ? 'valid' : `valid until ${timeText(expiresAt, '')}`;
}
