// A site's access tokens, managed with its master tokens (docs/contract.md §2, §7). User tokens belong to no site: the command
// line manages them, and nothing here finds them.
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { mintToken } from '../../auth/token.ts';
import { fail } from '../../errors.ts';
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql/types.ts';
import { checkNewToken } from '../../inputs/token.ts';
import { presentNewToken, presentToken, type SiteToken } from '../../serializers/token.ts';
import { requireMaster } from '../shared.ts';

/** Tokens are listed no further back than this. */
const listedAtMost = 1_000;

/** Lists the site's tokens, newest first, revoked and expired ones included. */
export const tokens = (async (_parent, _args, context) => {
  requireMaster(context);
  const rows = await context.db.token.findMany({
    where: { siteId: context.site },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: listedAtMost,
  });
  return (rows as SiteToken[]).map(presentToken);
}) satisfies QueryResolvers['tokens'];

/** Creates a token for the caller's site. The token is in this answer alone: only the hash is stored. */
export const createToken = (async (_parent, { input }, context) => {
  requireMaster(context);
  const settings = checkNewToken(input, context.now);
  const { token, hash } = mintToken(settings.kind);
  const row = await context.db.token.create({
    data: { ...settings, id: uuidv7(), siteId: context.site, hash, createdAt: context.now },
  });
  return presentNewToken({ ...row, kind: settings.kind }, token);
}) satisfies MutationResolvers['createToken'];

/** Takes a token of the caller's site out of use. One that was revoked keeps its first time. @returns its id */
export const revokeToken = (async (_parent, args, context) => {
  requireMaster(context);
  const { db, site: siteId } = context;
  const row = isUuid(args.id) ? await db.token.findUnique({ where: { id: args.id, siteId } }) : null;
  const { id } = row ?? noSuchToken();
  await db.token.updateMany({ where: { id, siteId, revokedAt: null }, data: { revokedAt: context.now } });
  await context.directory.settle();
  return id;
}) satisfies MutationResolvers['revokeToken'];

function noSuchToken(): never {
  fail('not_found', 'There is no such token.');
}
