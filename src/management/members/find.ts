// Finds the member that an argument names.
import { validate as isUuid } from 'uuid';
import { fail } from '../../base/errors.ts';
import type { ReadingClient } from '../../database/client.ts';
import type { Context } from '../../resolvers/context.ts';
import { withUser, type MemberRow } from './serializer.ts';

/** Finds the member of a site with a user's id. @throws not_found */
export async function findMember(
  db: Pick<ReadingClient, 'membership'>,
  siteId: string,
  userId: string,
): Promise<MemberRow> {
  const where = { siteId_userId: { siteId, userId } };
  const row = isUuid(userId) ? await db.membership.findUnique({ where, include: withUser }) : null;
  return row ?? fail('not_found', 'There is no such member.');
}

/** Finds the member that an operation changes, for its preconditions. @throws not_found */
export function findChangedMember(
  { user }: { readonly user: string },
  { services: { db }, site }: Pick<Context, 'services' | 'site'>,
): Promise<MemberRow> {
  return findMember(db, site, user);
}
