// Invites the user with an address to be a member of the site, whether there is one or not (docs/contract.md §14.2). The invitation
// makes nobody a member: that begins when this user accepts it.
import type { InvitationInput } from '../../generated/graphql/types.ts';
import type { Sent } from '../../inputs/sent.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { managers } from '../../rules/callers.ts';
import { lockGiver, requireRolesToGive } from '../giving.ts';
import { manage } from '../manage.ts';
import { checkRoles } from '../roles/input.ts';
import { checkNewInvitation } from './input.ts';
import { presentNewInvitation, type PublicNewInvitation } from './serializer.ts';
import { storeInvitation, type MadeInvitation } from './store.ts';

export const inviteMember: ManagementOperation<{
  args: Sent<InvitationInput>;
  done: MadeInvitation;
  result: PublicNewInvitation;
}> = {
  name: 'inviteMember',
  callers: managers,
  needs: ['members'],

  run: async (sent, context) => {
    const { site: siteId, now, caller, actor } = context;
    const { email, roles, expiresAt } = checkNewInvitation(sent, now);
    return manage(context, async (management) => {
      const { db } = management;
      const giver = await lockGiver(management, { siteId, caller, actor });
      const checked = await checkRoles(roles, siteId, db);
      await requireRolesToGive(db, siteId, giver, checked);
      const invited = { siteId, email, roles: checked, invitedBy: actor.userId, expiresAt, now };
      const { change, ...made } = await storeInvitation(db, invited);
      return { result: made, changes: [change] };
    });
  },

  present: (made, _sent, { baseUrl }) => presentNewInvitation(made, baseUrl),
};
