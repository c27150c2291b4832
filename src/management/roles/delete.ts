// Deletes a role of a site: its members lose it. Only the command line has this operation (docs/contract.md §14.2).
import { fail } from '../../base/errors.ts';
import { operators } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { auditMember } from '../auditedMembers.ts';
import { manage, type ManagedChange } from '../manage.ts';
import { findSite } from '../sites/find.ts';
import { auditRole, lockRoles, readChannelIds } from './site.ts';

interface DeleteRoleArguments {
  readonly site: string;
  readonly id: string;
  /** The role's id again, against deletions by mistake. */
  readonly confirm: string;
}

/** The result is the number of members who had the role. */
export const deleteRole: ManagementOperation<{ args: DeleteRoleArguments; input: DeleteRoleArguments; done: number }> =
  {
    name: 'deleteRole',
    callers: operators,

    parse: (args) => {
      if (args.confirm !== args.id) fail('bad_request', 'confirm must be the id of the role that is to be deleted.');
      return args;
    },

    run: async ({ site, id }, context) => {
      const { id: siteId } = await findSite(site, context);
      return manage(context, async ({ db }) => {
        await lockRoles(db, siteId);
        const role = await db.role.findUnique({ where: { siteId_id: { siteId, id } } });
        if (role === null)
          fail('not_found', `The site has no role "${id}" of its own. See "entryway role list --site ${siteId}".`);
        const idOf = await readChannelIds(db, siteId);
        const members = await db.membership.findMany({
          where: { siteId, roles: { has: id } },
          include: { user: true },
        });
        const lost: ManagedChange[] = [];
        for (const { userId, user, roles } of members) {
          const rest = roles.filter((each) => each !== id);
          await db.membership.update({ where: { siteId_userId: { siteId, userId } }, data: { roles: rest } });
          const change = { siteId, type: 'member', subject: userId, action: 'updated' } as const;
          lost.push({ ...change, before: auditMember(user, roles), after: auditMember(user, rest) });
        }
        await db.role.delete({ where: { siteId_id: { siteId, id } } });
        const change = { siteId, type: 'role', subject: id, action: 'deleted', after: null } as const;
        return { result: members.length, changes: [...lost, { ...change, before: auditRole(role, idOf) }] };
      });
    },
  };
