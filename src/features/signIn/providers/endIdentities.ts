// Ends links of users to providers (docs/contract.md §14.8), within `manage`. The records are of the users.
import type { TransactionClient } from '../../../entries/clients/transactionClient.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import type { ManagedChange } from '../../../management/manage.ts';
import { noSite } from '../../../resolvers/auditRecords.ts';

/** The record of a user whose link to a provider begins or ends. */
export function describeLink(userId: string, before: string | null, after: string | null): ManagedChange {
  const change = { siteId: noSite, type: 'user', subject: userId, action: 'updated' } as const;
  return { ...change, before: { provider: before }, after: { provider: after } };
}

/** Ends links, of users or of a provider that are locked. @returns a record of each */
export async function endIdentities(db: TransactionClient, where: Prisma.IdentityWhereInput): Promise<ManagedChange[]> {
  const ended = await db.identity.findMany({ where, orderBy: [{ createdAt: 'asc' }, { subject: 'asc' }] });
  await db.identity.deleteMany({ where });
  return ended.map(({ userId, providerId }) => describeLink(userId, providerId, null));
}

/** The number of links that changes end. */
export function countEndedLinks(changes: readonly ManagedChange[]): number {
  return changes.filter(({ type, after }) => type === 'user' && after?.['provider'] === null).length;
}
