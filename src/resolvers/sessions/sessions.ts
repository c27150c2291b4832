// Sessions: customers signed in and out with master tokens (docs/contract.md §2, §7).
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { mintToken } from '../../auth/token.ts';
import { fail } from '../../errors.ts';
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql/types.ts';
import { checkLifetime } from '../../inputs/token.ts';
import { presentNewSession, presentSession } from '../../serializers/session.ts';
import { customerNamed } from '../customers/customers.ts';
import { requireMaster } from '../shared.ts';

/** A customer's sessions are listed no further back than this. */
const listedAtMost = 250;

/** Lists a customer's sessions, newest first, ended ones included. */
export const sessions = (async (_parent, args, context) => {
  requireMaster(context);
  const { id: customerId } = await customerNamed(context, args.customer);
  const rows = await context.db.session.findMany({
    where: { siteId: context.site, customerId },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: listedAtMost,
  });
  return rows.map(presentSession);
}) satisfies QueryResolvers['sessions'];

/** Signs a customer in. Its token is in this answer alone: only the hash is stored. */
export const createSession = (async (_parent, args, context) => {
  requireMaster(context);
  const { id: customerId } = await customerNamed(context, args.customer);
  const lifetime = checkLifetime(args) * 1000;
  const { site: siteId, now } = context;
  const { token, hash } = mintToken('session');
  const row = await context.db.session.create({
    data: { siteId, id: uuidv7(), customerId, hash, createdAt: now, expiresAt: new Date(now.getTime() + lifetime) },
  });
  return presentNewSession(row, token);
}) satisfies MutationResolvers['createSession'];

/** Ends a session. One that was ended keeps its first time. @returns its id */
export const revokeSession = (async (_parent, args, context) => {
  requireMaster(context);
  const { db, site: siteId } = context;
  const row = isUuid(args.id) ? await db.session.findUnique({ where: { siteId_id: { siteId, id: args.id } } }) : null;
  const { id } = row ?? noSuchSession();
  await db.session.updateMany({ where: { siteId, id, revokedAt: null }, data: { revokedAt: context.now } });
  await context.directory.settle();
  return id;
}) satisfies MutationResolvers['revokeSession'];

function noSuchSession(): never {
  fail('not_found', 'There is no such session.');
}
