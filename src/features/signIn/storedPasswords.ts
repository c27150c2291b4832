// The rows of passwords (docs/contract.md §14.8), within `manage`. The audit log has when a password was set, and nothing else of it.
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import { auditTime } from '../../management/auditedMembers.ts';
import type { ManagedChange } from '../../management/manage.ts';
import { endSignIns } from '../../management/users/endSignIns.ts';
import { endIdentities } from './providers/endIdentities.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import { revokePersonalTokens } from './stored.ts';

/** Stores the hash of a locked user's new password. */
export async function storePassword(
  db: TransactionClient,
  userId: string,
  stored: string,
  now: Date,
): Promise<ManagedChange> {
  const before = await db.password.findUnique({ where: { userId }, select: { setAt: true } });
  const data = { stored, setAt: now };
  await db.password.upsert({ where: { userId }, create: { userId, ...data }, update: data });
  return {
    ...({ siteId: noSite, type: 'user', subject: userId, action: 'updated' } as const),
    before: { password_set_at: auditTime(before?.setAt ?? null) },
    after: { password_set_at: auditTime(now) },
  };
}

/** A new password that takes over from what the user signed in with. */
interface Replacement {
  readonly userId: string;
  /** The hash. */
  readonly stored: string;
  /** Whether personal tokens stay. */
  readonly keepTokens: boolean;
  /** Whether links to providers stay. */
  readonly keepLinks: boolean;
}

/**
 * Stores the hash of a locked user's new password, and ends what opened the account so far: sign-ins, personal tokens, links to
 * providers, browsers that were in before, and links that set a password.
 */
export async function replacePassword(
  db: TransactionClient,
  { userId, stored, keepTokens, keepLinks }: Replacement,
  now: Date,
): Promise<ManagedChange[]> {
  const change = await storePassword(db, userId, stored, now);
  const ended = await endSignIns(db, { userId });
  const revoked = keepTokens ? [] : await revokePersonalTokens(db, userId, now);
  const unlinked = keepLinks ? [] : await endIdentities(db, { userId });
  await db.knownBrowser.deleteMany({ where: { userId } });
  await db.userLink.deleteMany({ where: { userId } });
  return [change, ...ended, ...revoked, ...unlinked];
}
