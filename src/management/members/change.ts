// Makes a user a member of a site, gives a member roles, or ends the membership. Only the command line has this operation
// (docs/contract.md §14.2).
import { fail } from '../../base/errors.ts';
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import type { User } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { memberOwner } from '../../rules/rights.ts';
import { auditMember } from '../auditedMembers.ts';
import { manage, type ManagedChange } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { checkRoles } from '../roles/input.ts';
import { lockRoles } from '../roles/site.ts';
import { findSite } from '../sites/find.ts';
import { findUser } from '../users/find.ts';

interface ChangeMembershipArguments {
  readonly site: string;
  readonly user: string;
  readonly isMember: boolean;
  /** The roles that the member gets, beside those that it has. */
  readonly roles?: readonly string[] | undefined;
}

/** The result is whether the membership changed: one that is already as requested is no failure. */
export const changeMembership: ManagementOperation<{ args: ChangeMembershipArguments; done: boolean }> = {
  name: 'changeMembership',
  callers: operators,

  run: async ({ isMember, roles = [], ...names }, context) => {
    const site = await findSite(names.site, context);
    const user = await findUser(names.user, context);
    return manage(context, async ({ db }) => {
      await lockRoles(db, site.id);
      const changes = isMember
        ? await addMember(db, { siteId: site.id, user, roles, now: context.now })
        : await removeMember(db, site.id, user);
      return { result: changes.length > 0, changes };
    });
  },
};

/** A member to be, with the roles that it gets. */
export interface NewMember {
  readonly siteId: string;
  readonly user: User;
  readonly roles: readonly string[];
  readonly now: Date;
}

/**
 * Makes a user a member, or gives a member more roles.
 * @throws validation_failed for a role that there is not; conflict if a customer of the site has the id that the member's entries
 *   have as their owner
 */
export async function addMember(
  db: TransactionClient,
  { siteId, user, roles, now }: NewMember,
): Promise<ManagedChange[]> {
  const where = { siteId_userId: { siteId, userId: user.id } };
  const before = await db.membership.findUnique({ where });
  const had = before?.roles ?? [];
  const all = [...new Set([...had, ...(await checkRoles([...new Set([...had, ...roles])], siteId, db))])];
  const id = memberOwner({ user: user.id });
  if (all.length > 0 && (await db.customer.count({ where: { siteId, id } })) > 0) {
    fail('conflict', `A customer of the site has the id "${id}": the user gets no role there.`);
  }
  const change = { siteId, type: 'member', subject: user.id } as const;
  const after = auditMember(user, all);
  if (before === null) {
    const data = [{ siteId, userId: user.id, roles: all, createdAt: now }];
    const { count } = await db.membership.createMany({ data, skipDuplicates: true });
    return count === 0 ? [] : [{ ...change, action: 'created', before: null, after }];
  }
  if (all.length === had.length) return [];
  await db.membership.update({ where, data: { roles: all } });
  return [{ ...change, action: 'updated', before: auditMember(user, had), after }];
}

async function removeMember(db: TransactionClient, siteId: string, user: User): Promise<ManagedChange[]> {
  const where = { siteId_userId: { siteId, userId: user.id } };
  const before = await db.membership.findUnique({ where });
  const { count } = await db.membership.deleteMany({ where: { siteId, userId: user.id } });
  if (before === null || count === 0) return [];
  const change = { siteId, type: 'member', subject: user.id, action: 'deleted', after: null } as const;
  return [{ ...change, before: auditMember(user, before.roles) }];
}
