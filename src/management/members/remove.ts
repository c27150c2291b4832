// Ends a membership. Every member may end its own. The result is the user's id (docs/contract.md §14.2).
import { managers } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { lockGiver } from '../giving.ts';
import { manage } from '../manage.ts';
import { findChangedMember, findMember } from './find.ts';
import { storeRemoval } from './store.ts';

export const removeMember: ManagementOperation<{ args: { readonly user: string }; done: string }> = {
  name: 'removeMember',
  callers: managers,
  needs: ({ user }, { actor }) => (user === actor.userId ? [] : ['members']),
  scope: ['members'],

  find: findChangedMember,

  run: async (input, context) => {
    const { site: siteId, caller, actor } = context;
    const { userId } = await findChangedMember(input, context);
    await manage(context, async (management) => {
      const { db } = management;
      const giver = await lockGiver(management, { siteId, caller, actor });
      const user = { id: userId, ...(await findMember(db, siteId, userId)).user };
      const changes = await storeRemoval(db, { siteId, user, giver }, userId === actor.userId);
      return { result: null, changes };
    });
    await context.services.directory.settle();
    return userId;
  },
};
