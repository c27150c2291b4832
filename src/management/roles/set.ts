// Makes a role of a site, or gives it other rights. Only the command line has this operation (docs/contract.md §14.2).
import { isBuiltIn } from '../../auth/members.ts';
import { fail } from '../../base/errors.ts';
import { operators } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { lockGiver } from '../giving.ts';
import { manage } from '../manage.ts';
import { findSite } from '../sites/find.ts';
import { storeNewRole, storeRoleChange } from './store.ts';

interface SetRoleArguments {
  readonly site: string;
  readonly id: string;
  /** Absent to leave it, or for none. */
  readonly name?: string | undefined;
  readonly rights: readonly string[];
}

/** The result is whether the role is new. */
export const setRole: ManagementOperation<{ args: SetRoleArguments; done: boolean }> = {
  name: 'setRole',
  callers: operators,

  run: async ({ site, id, name, rights }, context) => {
    const { id: siteId } = await findSite(site, context);
    if (isBuiltIn(id)) fail('conflict', `The role "${id}" is built in: choose another id.`);
    const { now, caller, actor } = context;
    return manage(context, async (management) => {
      const change = { siteId, giver: await lockGiver(management, { siteId, caller, actor }), now };
      const before = await management.db.role.findUnique({ where: { siteId_id: { siteId, id } } });
      const { changes } =
        before === null
          ? await storeNewRole(management, { id, name: name ?? null, rights }, change)
          : await storeRoleChange(management, before, { name, rights }, change);
      return { result: before === null, changes };
    });
  },
};
