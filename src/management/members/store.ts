// Stores memberships of a site, for the doors and for commands: nobody gives or takes roles with rights that they do not have
// (docs/contract.md §14.2).
import { fail } from '../../base/errors.ts';
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import type { User } from '../../generated/prisma/client.ts';
import { memberOwner } from '../../rules/rights.ts';
import { auditMember } from '../auditedMembers.ts';
import { refuseLastOwner, requireRolesToGive, type Giver } from '../giving.ts';
import type { ManagedChange } from '../manage.ts';
import { checkRoles } from '../roles/input.ts';

/** A user of a site, and who changes the membership. */
interface Joining {
  readonly siteId: string;
  readonly user: Pick<User, 'id' | 'email' | 'name'>;
  readonly giver: Giver;
}

/** A member to be, with the roles that it gets. */
export interface NewMember extends Joining {
  readonly roles: readonly string[];
  readonly now: Date;
}

/**
 * Makes a user a member, or gives a member more roles.
 * @throws validation_failed for a role that there is not; forbidden; conflict if a customer of the site has the id that the member's
 *   entries have as their owner
 */
export async function addMember(db: TransactionClient, member: NewMember): Promise<ManagedChange[]> {
  const { siteId, user, roles, giver, now } = member;
  const before = await readRoles(db, siteId, user.id);
  const had = before ?? [];
  const all = [...new Set([...had, ...(await checkRoles([...new Set([...had, ...roles])], siteId, db))])];
  if (before !== null) return storeRoles(db, { siteId, user, giver }, had, all);
  await requireRolesToGive(db, siteId, giver, all);
  await refuseTakenOwner(db, siteId, user.id, all);
  const data = [{ siteId, userId: user.id, roles: all, createdAt: now }];
  const { count } = await db.membership.createMany({ data, skipDuplicates: true });
  const change = { siteId, type: 'member', subject: user.id, action: 'created', before: null } as const;
  return count === 0 ? [] : [{ ...change, after: auditMember(user, all) }];
}

/**
 * Sets the roles of a member. Where nothing changes, nothing is written.
 * @param had the member's roles, as they are stored in the transaction
 * @throws forbidden; conflict for the last owner, and as `addMember`
 */
export async function storeRoles(
  db: TransactionClient,
  { siteId, user, giver }: Joining,
  had: readonly string[],
  roles: readonly string[],
): Promise<ManagedChange[]> {
  await requireRolesToGive(db, siteId, giver, [...had, ...roles]);
  if (String(had) === String(roles)) return [];
  await refuseTakenOwner(db, siteId, user.id, roles);
  const where = { siteId_userId: { siteId, userId: user.id } };
  await db.membership.update({ where, data: { roles: [...roles] } });
  await refuseLastOwner(db, siteId, giver);
  const change = { siteId, type: 'member', subject: user.id, action: 'updated' } as const;
  return [{ ...change, before: auditMember(user, had), after: auditMember(user, roles) }];
}

/**
 * Ends a membership.
 * @param isOwn whether the member ends its own, for which it needs no right
 * @throws forbidden; conflict for the last owner
 */
export async function storeRemoval(
  db: TransactionClient,
  { siteId, user, giver }: Joining,
  isOwn: boolean,
): Promise<ManagedChange[]> {
  const roles = await readRoles(db, siteId, user.id);
  if (roles === null) return [];
  if (!isOwn) await requireRolesToGive(db, siteId, giver, roles);
  await db.membership.deleteMany({ where: { siteId, userId: user.id } });
  await refuseLastOwner(db, siteId, giver);
  const change = { siteId, type: 'member', subject: user.id, action: 'deleted', after: null } as const;
  return [{ ...change, before: auditMember(user, roles) }];
}

/** Reads the roles of a member; null if the user is none. */
async function readRoles(db: TransactionClient, siteId: string, userId: string): Promise<string[] | null> {
  const row = await db.membership.findUnique({ where: { siteId_userId: { siteId, userId } }, select: { roles: true } });
  return row?.roles ?? null;
}

/** @throws conflict if a customer of the site has the id that the entries of a member with roles have as their owner */
async function refuseTakenOwner(
  db: TransactionClient,
  siteId: string,
  userId: string,
  roles: readonly string[],
): Promise<void> {
  const id = memberOwner({ user: userId });
  if (roles.length === 0 || (await db.customer.count({ where: { siteId, id } })) === 0) return;
  fail('conflict', `A customer of the site has the id "${id}": the user gets no role there.`);
}
