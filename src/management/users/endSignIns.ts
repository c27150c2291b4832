// Ends sign-ins (docs/contract.md §14.8), within `manage`.
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import { auditSignIn } from '../auditedMembers.ts';
import type { ManagedChange } from '../manage.ts';

/** Ends sign-ins of a locked user, with their tokens. @returns a record of each */
export async function endSignIns(db: TransactionClient, where: Prisma.SignInWhereInput): Promise<ManagedChange[]> {
  const ended = await db.signIn.findMany({ where, orderBy: { createdAt: 'asc' } });
  await db.signIn.deleteMany({ where: { id: { in: ended.map(({ id }) => id) } } });
  return ended.map((row) => ({
    ...({ siteId: noSite, type: 'sign_in', subject: row.id, action: 'revoked', after: null } as const),
    before: auditSignIn(row),
  }));
}
