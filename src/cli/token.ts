// `entryway token`: what requests prove themselves with.
import { Option, type Command } from 'commander';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { mintToken } from '../auth/token.ts';
import type { Token } from '../generated/prisma/client.ts';
import { expiryOf } from './expiry.ts';
import { table, timeText, type Result } from './output.ts';
import { printing, Refusal, tablesHelp, withTables } from './run.ts';
import { displayName, emailAddress, findSite, findUser, siteId } from './values.ts';

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
    .description('create a token; what to send is printed this once')
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
    .argument('<id>', 'its id, as printed by "create" and "list"; not what is sent')
    .description('take a token out of use for good; it holds within a second')
    .addHelpText('after', tablesHelp)
    .action(printing(revoke));
}

/** @throws {Refusal} where the options don't fit together, or there is no such site or user */
async function create(options: CreateOptions): Promise<Result> {
  const createdAt = new Date();
  const holder = holderOf(options);
  const name = options.name === undefined ? null : displayName(options.name);
  const expiresAt = options.expires === undefined ? null : expiryOf(options.expires, createdAt);
  const { token, hash } = mintToken(options.kind);
  const row = { id: uuidv7(), kind: options.kind, name, hash, createdAt, expiresAt };
  await withTables(async (prisma) => {
    const bound =
      'site' in holder
        ? { siteId: (await findSite(prisma, holder.site)).id }
        : { userId: (await findUser(prisma, holder.user)).id };
    await prisma.token.create({ data: { ...row, ...bound } });
  });
  const { id, kind } = row;
  return {
    json: { id, kind, token, name, ...holder, expires_at: expiresAt, created_at: createdAt },
    text: [
      token,
      '',
      `The ${kind} token ${id} of ${Object.values(holder).join()}; expires: ${timeText(expiresAt, 'never')}.`,
      'It is not shown again: only a hash of it is stored.',
    ].join('\n'),
  };
}

/** Whom a new token is to belong to. @throws {Refusal} where the kind asks for the other option */
function holderOf({ kind, site, user }: CreateOptions): { site: string } | { user: string } {
  const [needed, other] = kind === 'user' ? (['user', 'site'] as const) : (['site', 'user'] as const);
  const given = { site, user };
  if (given[needed] === undefined || given[other] !== undefined) {
    throw new Refusal(`A token of the kind ${kind} belongs to a ${needed}: give --${needed}, and no --${other}.`);
  }
  return needed === 'site' ? { site: siteId(given[needed]) } : { user: emailAddress(given[needed]) };
}

/** @throws {Refusal} where there is no such site or user */
async function list({ site, user }: ListOptions): Promise<Result> {
  const [id, email] = [site && siteId(site), user && emailAddress(user)];
  const tokens = await withTables(async (prisma) =>
    prisma.token.findMany({
      where: {
        ...(id !== undefined && { siteId: (await findSite(prisma, id)).id }),
        ...(email !== undefined && { userId: (await findUser(prisma, email)).id }),
      },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      include: { user: { select: { email: true } } },
    }),
  );
  return {
    json: tokens.map(publicToken),
    text: table(
      ['id', 'kind', 'of', 'name', 'created', 'last used', 'state'],
      tokens.map((token) => [
        token.id,
        token.kind,
        token.siteId ?? token.user?.email ?? '',
        token.name ?? '',
        timeText(token.createdAt, ''),
        timeText(token.lastUsedAt, 'never'),
        stateOf(token, new Date()),
      ]),
      'There are no such tokens.',
    ),
  };
}

/** @throws {Refusal} where there is no such token */
async function revoke(id: string): Promise<Result> {
  if (!isUuid(id)) throw new Refusal(`That is no token's id: "entryway token list" shows them.`);
  const token = await withTables(async (prisma) => {
    await prisma.token.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: new Date() } });
    return prisma.token.findUnique({ where: { id }, include: { user: { select: { email: true } } } });
  });
  if (!token) throw new Refusal(`There is no token with the id ${id}: "entryway token list" shows them.`);
  return {
    json: publicToken(token),
    text: `The ${token.kind} token ${id} is out of use since ${timeText(token.revokedAt, '')}.`,
  };
}

/** A token as commands print it: what is sent in requests is not known any more. */
function publicToken(token: Token & { user: { email: string } | null }): Record<string, unknown> {
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

function stateOf({ expiresAt, revokedAt }: Token, now: Date): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'valid';
  return expiresAt > now ? `valid until ${timeText(expiresAt, '')}` : 'expired';
}
