// Creates a role of a site (docs/contract.md §14.2).
import type { RoleInput } from '../../generated/graphql/types.ts';
import type { Sent } from '../../inputs/sent.ts';
import { managers } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { lockGiver } from '../giving.ts';
import { manage } from '../manage.ts';
import { checkNewRole } from './input.ts';
import { presentRole, type PublicRole } from './serializer.ts';
import { storeNewRole } from './store.ts';

export const createRole: ManagementOperation<{ args: Sent<RoleInput>; done: PublicRole }> = {
  name: 'createRole',
  callers: managers,
  needs: ['members'],

  run: async (sent, context) => {
    const { site: siteId, now, caller, actor } = context;
    const data = checkNewRole(sent);
    return manage(context, async (management) => {
      const giver = await lockGiver(management, { siteId, caller, actor });
      const { result, changes } = await storeNewRole(management, data, { siteId, giver, now });
      return { result: presentRole(result, giver.idOf), changes };
    });
  },
};
