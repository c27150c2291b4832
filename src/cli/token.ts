// `entryway token`: creates, lists and revokes access tokens.
import { Option, type Command } from 'commander';
import { lastingRights } from '../auth/rights.ts';
import type { Context } from '../context.ts';
import type { TokenInput } from '../generated/graphql/types.ts';
import type { Token } from '../generated/prisma/client.ts';
import { operations } from '../resolvers/index.ts';
import { perform } from '../resolvers/perform.ts';
import { findSite } from '../resolvers/sites/find.ts';
import type { OwnedToken } from '../resolvers/tokens/listAll.ts';
import { expiryOf } from './expiry.ts';
import { table, timeText, type Result } from './output.ts';
import { asOperator } from './operator.ts';
import { printing, tablesHelp, UsageError } from './run.ts';
import { displayName, emailAddress, siteId } from './values.ts';

interface CreateOptions {
  readonly kind: 'master' | 'public' | 'user';
  readonly site?: string;
  readonly user?: string;
  readonly name?: string;
  readonly expires?: string;
}

interface ListOptions {
  readonly site?: string;
  readonly user?: string;
}

const kindsHelp = `
Kinds:
  master  of a site: for servers that are trusted; may do everything there
  public  of a site: for websites and apps; sees what visitors may see
  user    of a user: enters every site that the user is a member of, named in X-Service-Site
`;

export function define(command: Command): void {
  command
    .command('create')
    .description('create a token, and print it; it is not shown again')
    .addOption(
      new Option('--kind <kind>', 'what it may do').choices(['master', 'public', 'user']).makeOptionMandatory(),
    )
    .option('--site <id>', 'the site that it belongs to; with the kinds master and public')
    .option('--user <email>', 'the user that it belongs to; with the kind user')
    .option('--name <name>', 'its name, for people')
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
}

/** @throws {Refusal} where the options do not fit together; not_found where there is no such site or user */
async function create(options: CreateOptions): Promise<Result> {
  // One moment for the token's creation and its expiry.
  const now = new Date();
  const holder = readHolder(options);
  const name = options.name === undefined ? null : displayName(options.name);
  const expiresAt = options.expires === undefined ? null : expiryOf(options.expires, now);
  const { id, kind, token } = await asOperator((operator) => {
    const context = { ...operator, now, rights: lastingRights(operator.caller, now) };
    if ('user' in holder) return perform(operations.createUserToken, { user: holder.user, name, expiresAt }, context);
    const input = { kind: holder.kind, name, expiresAt: expiresAt?.toISOString() ?? null };
    return createSiteToken(input, holder.site, context);
  });
  const belongsTo = 'user' in holder ? { user: holder.user } : { site: holder.site };
  return {
    json: { id, kind, token, name, ...belongsTo, expires_at: expiresAt, created_at: now },
    text: [
      token,
      '',
      `The ${kind} token ${id} of ${Object.values(belongsTo).join()}; expires: ${timeText(expiresAt, 'never')}.`,
      'It is not shown again: only a hash of it is stored.',
    ].join('\n'),
  };
}

async function createSiteToken(
  input: TokenInput,
  site: string,
  context: Context,
): Promise<{ id: string; kind: string; token: string }> {
  await findSite(site, context);
  return perform(operations.createToken, { input }, { ...context, site });
}

type Holder = { readonly user: string } | { readonly site: string; readonly kind: 'master' | 'public' };

/** The site or user that a new token is to belong to. @throws {UsageError} where the kind needs the other option */
function readHolder({ kind, site, user }: CreateOptions): Holder {
  const [needed, other] = kind === 'user' ? (['user', 'site'] as const) : (['site', 'user'] as const);
  const given = { site, user };
  if (given[needed] === undefined || given[other] !== undefined) {
    throw new UsageError(`A token of the kind ${kind} belongs to a ${needed}: give --${needed}, and not --${other}.`);
  }
  return kind === 'user' ? { user: emailAddress(given[needed]) } : { site: siteId(given[needed]), kind };
}

/** @throws not_found where there is no such site or user */
async function list({ site, user }: ListOptions): Promise<Result> {
  const filter = {
    ...(site !== undefined && { site: siteId(site) }),
    ...(user !== undefined && { user: emailAddress(user) }),
  };
  const tokens = await asOperator((context) => perform(operations.listAllTokens, filter, context));
  return {
    json: tokens.map(describeToken),
    text: table(
      ['id', 'kind', 'of', 'name', 'created', 'last used', 'state'],
      tokens.map((token) => [
        token.id,
        token.kind,
        token.siteId ?? token.user?.email ?? '',
        token.name ?? '',
        timeText(token.createdAt, ''),
        timeText(token.lastUsedAt, 'never'),
        describeState(token, new Date()),
      ]),
      'There are no such tokens.',
    ),
  };
}

/** @throws bad_request where it can't be an id; not_found where there is no such token */
async function revoke(id: string): Promise<Result> {
  const token = await asOperator((context) => perform(operations.revokeAnyToken, { id }, context));
  return {
    json: describeToken(token),
    text: `The ${token.kind} token ${id} is out of use since ${timeText(token.revokedAt, '')}.`,
  };
}

/** A token as commands print it. The text that requests send is not among it, since only its hash is stored. */
function describeToken(token: OwnedToken): Record<string, unknown> {
  const { id, kind, name, siteId: site, user, createdAt, expiresAt, revokedAt, lastUsedAt } = token;
  return {
    id,
    kind,
    name,
    ...(user ? { user: user.email } : { site }),
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
    last_used_at: lastUsedAt,
  };
}

function describeState({ expiresAt, revokedAt }: Token, now: Date): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'valid';
  return expiresAt > now ? `valid until ${timeText(expiresAt, '')}` : 'expired';
}
