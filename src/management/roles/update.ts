// Updates a role of a site: sets the members that are sent (docs/contract.md §14.2). Its members have the new rights within a second.
import type { RolePatch } from '../../generated/graphql/types.ts';
import type { Sent } from '../../inputs/sent.ts';
import { managers } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { lockGiver } from '../giving.ts';
import { manage } from '../manage.ts';
import { findChangedRole, findOwnRole } from './find.ts';
import { checkRolePatch } from './input.ts';
import { presentRole, type PublicRole } from './serializer.ts';
import { storeRoleChange } from './store.ts';

type UpdateRoleArguments = Sent<RolePatch> & { readonly id: string };

export const updateRole: ManagementOperation<{ args: UpdateRoleArguments; done: PublicRole }> = {
  name: 'updateRole',
  callers: managers,
  needs: ['members'],

  find: findChangedRole,

  run: async (input, context) => {
    const { site: siteId, now, caller, actor } = context;
    const { id } = await findChangedRole(input, context);
    const patch = checkRolePatch(input);
    const role = await manage(context, async (management) => {
      const giver = await lockGiver(management, { siteId, caller, actor });
      const before = await findOwnRole(management.db, siteId, id);
      const { result, changes } = await storeRoleChange(management, before, patch, { siteId, giver, now });
      return { result: presentRole(result, giver.idOf), changes };
    });
    await context.services.directory.settle();
    return role;
  },
};
