// The owners of an imported site's entries. A member is named by its address in a file, and owns them here as the user with that
// address, who is made if there is none (docs/contract.md §14.10): without a token it opens nothing.
import { v7 as uuidv7 } from 'uuid';
import type { TransactionClient } from '../../../entries/clients/transactionClient.ts';
import { storedEmail } from '../../../fields/email.ts';
import { auditUser } from '../../../management/auditedMembers.ts';
import type { ManagedChange } from '../../../management/manage.ts';
import { noSite } from '../../../resolvers/auditRecords.ts';
import { memberOwner, memberPrefix } from '../../../rules/rights.ts';

/** The owners as they are stored, by those of the file, and the users that were made. */
export interface ImportedOwners {
  readonly ownerOf: (owner: string | null) => string | null;
  readonly changes: readonly ManagedChange[];
}

/** Finds the users who own some entries. A member without a valid address owns nothing. */
export async function findOwners(
  db: TransactionClient,
  owners: readonly (string | null)[],
  now: Date,
): Promise<ImportedOwners> {
  const emails = [...new Set(owners.flatMap((owner) => emailOf(owner) ?? []))];
  if (emails.length === 0) return { ownerOf: (owner) => (isMembers(owner) ? null : owner), changes: [] };
  const data = emails.map((email) => ({ id: uuidv7(), email, name: null, createdAt: now }));
  const created = await db.user.createManyAndReturn({ data, skipDuplicates: true });
  const users = await db.user.findMany({ where: { email: { in: emails } } });
  const byEmail = new Map(users.map(({ id: user, email }) => [email, memberOwner({ user })]));
  return {
    ownerOf: (owner) => (isMembers(owner) ? (byEmail.get(emailOf(owner) ?? '') ?? null) : owner),
    changes: created.map((user) => {
      const change = { siteId: noSite, type: 'user', subject: user.id, action: 'created', before: null } as const;
      return { ...change, after: auditUser(user) };
    }),
  };
}

function isMembers(owner: string | null): boolean {
  return owner?.startsWith(memberPrefix) === true;
}

/** The address of a member that an `_owner` of a file names; null for another owner. */
function emailOf(owner: string | null): string | null {
  if (owner === null || !isMembers(owner)) return null;
  const email = owner.slice(memberPrefix.length);
  return email === email.toLowerCase() && storedEmail.safeParse(email).success ? email : null;
}
