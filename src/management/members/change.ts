// Makes a user a member of a site, gives a member roles, or ends the membership. An unproven user gets an invitation instead. Only the
// command line has this operation (docs/contract.md §14.2).
import { operators } from '../../rules/callers.ts';
import { lockGiver } from '../giving.ts';
import { manage } from '../manage.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findSite } from '../sites/find.ts';
import { findUser } from '../users/find.ts';
import { addMemberOrInvite, type PrintedInvitation } from '../invitations/unproven.ts';
import { storeRemoval } from './store.ts';

interface ChangeMembershipArguments {
  readonly site: string;
  readonly user: string;
  readonly isMember: boolean;
  /** The roles that the member gets, beside those that it has. */
  readonly roles?: readonly string[] | undefined;
}

interface ChangedMembership {
  /** Whether it changed: one that is already as requested is no failure. */
  readonly isChanged: boolean;
  /** The invitation that an unproven user got instead; null if there is none. */
  readonly invitation: PrintedInvitation | null;
}

export const changeMembership: ManagementOperation<{ args: ChangeMembershipArguments; done: ChangedMembership }> = {
  name: 'changeMembership',
  callers: operators,

  run: async ({ isMember, roles = [], ...names }, context) => {
    const { caller, actor, now } = context;
    const { id: siteId } = await findSite(names.site, context);
    const user = await findUser(names.user, context);
    return manage(context, async (management) => {
      const { db } = management;
      const giver = await lockGiver(management, { siteId, caller, actor });
      if (!isMember) {
        const changes = await storeRemoval(db, { siteId, user, giver }, false);
        return { result: { isChanged: changes.length > 0, invitation: null }, changes };
      }
      const { changes, invitation } = await addMemberOrInvite(db, { siteId, user, roles, giver, now });
      return { result: { isChanged: invitation === null && changes.length > 0, invitation }, changes };
    });
  },
};
