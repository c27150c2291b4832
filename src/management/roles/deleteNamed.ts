// Deletes a role of any site: its members lose it. Only the command line has this operation (docs/contract.md §14.2).
import { fail } from '../../base/errors.ts';
import { operators } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { lockGiver } from '../giving.ts';
import { manage } from '../manage.ts';
import { findSite } from '../sites/find.ts';
import { parseDeletion, type DeleteRoleArguments } from './delete.ts';
import { storeRoleDeletion } from './store.ts';

type DeleteNamedRoleArguments = DeleteRoleArguments & { readonly site: string };

/** The result is the number of members who had the role. */
export const deleteNamedRole: ManagementOperation<{
  args: DeleteNamedRoleArguments;
  input: DeleteNamedRoleArguments;
  done: number;
}> = {
  name: 'deleteNamedRole',
  callers: operators,

  parse: parseDeletion,

  run: async ({ site, id }, context) => {
    const { caller, actor } = context;
    const { id: siteId } = await findSite(site, context);
    return manage(context, async (management) => {
      const giver = await lockGiver(management, { siteId, caller, actor });
      const role = await management.db.role.findUnique({ where: { siteId_id: { siteId, id } } });
      if (role === null) {
        fail('not_found', `The site has no role "${id}" of its own. See "entryway role list --site ${siteId}".`);
      }
      return storeRoleDeletion(management, role, { siteId, giver });
    });
  },
};
