// Stores a new user, within `manage`.
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import type { Prisma, User } from '../../generated/prisma/client.ts';
import { noSite, type AuditedMembers } from '../../resolvers/auditRecords.ts';
import { auditUser } from '../auditedMembers.ts';
import type { ManagedChange } from '../manage.ts';
import { isAddressTaken } from './find.ts';

/**
 * Stores a user.
 * @param more the members of its record besides those of the user
 * @returns the user and its record; null if there is a user with its address, whatever the case of its ASCII letters
 */
export async function storeUser(
  db: TransactionClient,
  data: Prisma.UserCreateManyInput,
  more: AuditedMembers,
): Promise<{ readonly user: User; readonly change: ManagedChange } | null> {
  // An index keeps new addresses apart; older users may differ in the case of letters alone.
  if (await isAddressTaken(data.email, db)) return null;
  const [user] = await db.user.createManyAndReturn({ data: [data], skipDuplicates: true });
  if (user === undefined) return null;
  const made = { siteId: noSite, type: 'user', subject: user.id, action: 'created', before: null } as const;
  return { user, change: { ...made, after: { ...auditUser(user), ...more } } };
}
