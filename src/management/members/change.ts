// Makes a user a member of a site, gives a member roles, or ends the membership. Only the command line has this operation
// (docs/contract.md §14.2).
import { operators } from '../../rules/callers.ts';
import { lockGiver } from '../giving.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findSite } from '../sites/find.ts';
import { findUser } from '../users/find.ts';
import { addMember, storeRemoval } from './store.ts';

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
    const { caller, actor, now } = context;
    const { id: siteId } = await findSite(names.site, context);
    const user = await findUser(names.user, context);
    return manage(context, async (management) => {
      const giver = await lockGiver(management, { siteId, caller, actor });
      const changes = isMember
        ? await addMember(management.db, { siteId, user, roles, giver, now })
        : await storeRemoval(management.db, { siteId, user, giver }, false);
      return { result: changes.length > 0, changes };
    });
  },
};
