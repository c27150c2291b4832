// Deletes a role of a site: its members lose it. The result is its id (docs/contract.md §14.2).
import { fail } from '../../base/errors.ts';
import { managers } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { lockGiver } from '../giving.ts';
import { manage } from '../manage.ts';
import { findChangedRole, findOwnRole } from './find.ts';
import { storeRoleDeletion } from './store.ts';

export interface DeleteRoleArguments {
  readonly id: string;
  /** The role's id again, against deletions by mistake. */
  readonly confirm: string;
}

export const deleteRole: ManagementOperation<{ args: DeleteRoleArguments; input: DeleteRoleArguments; done: string }> =
  {
    name: 'deleteRole',
    callers: managers,
    needs: ['members'],

    parse: parseDeletion,

    find: findChangedRole,

    run: async (input, context) => {
      const { site: siteId, caller, actor } = context;
      const { id } = await findChangedRole(input, context);
      await manage(context, async (management) => {
        const giver = await lockGiver(management, { siteId, caller, actor });
        return storeRoleDeletion(management, await findOwnRole(management.db, siteId, id), { siteId, giver });
      });
      await context.services.directory.settle();
      return id;
    },
  };

/** @throws bad_request for a deletion that is not confirmed */
export function parseDeletion<Arguments extends DeleteRoleArguments>(args: Arguments): Arguments {
  if (args.confirm !== args.id) fail('bad_request', 'confirm must be the id of the role that is to be deleted.');
  return args;
}
