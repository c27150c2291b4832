// Makes a user a member of a site, or ends the membership. Only the command line has this operation
// (docs/contract.md §1, §8).
import { operators } from '../../rules/callers.ts';
import { auditUser } from '../auditedMembers.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findSite } from '../sites/find.ts';
import { findUser } from '../users/find.ts';

interface ChangeMembershipArguments {
  readonly site: string;
  readonly user: string;
  readonly isMember: boolean;
}

/** The result is whether the membership changed: one that is already as requested is no failure. */
export const changeMembership: ManagementOperation<{ args: ChangeMembershipArguments; done: boolean }> = {
  name: 'changeMembership',
  callers: operators,

  run: async ({ isMember, ...names }, context) => {
    const site = await findSite(names.site, context);
    const user = await findUser(names.user, context);
    return manage(context, async ({ db }) => {
      const membership = { siteId: site.id, userId: user.id };
      const { count } = await (isMember
        ? db.membership.createMany({ data: [{ ...membership, createdAt: context.now }], skipDuplicates: true })
        : db.membership.deleteMany({ where: membership }));
      const change = { siteId: site.id, type: 'member', subject: user.id } as const;
      const described = isMember
        ? ({ ...change, action: 'created', before: null, after: auditUser(user) } as const)
        : ({ ...change, action: 'deleted', before: auditUser(user), after: null } as const);
      return { result: count > 0, changes: count > 0 ? [described] : [] };
    });
  },
};
