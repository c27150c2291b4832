// Makes a role of a site, or gives it other rights. Only the command line has this operation (docs/contract.md §14.2).
import { isBuiltIn } from '../../auth/members.ts';
import { fail } from '../../base/errors.ts';
import { operators } from '../../rules/callers.ts';
import { maxRoles } from '../../rules/rights.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { manage } from '../manage.ts';
import { findSite } from '../sites/find.ts';
import { checkRights } from './input.ts';
import { auditRole, lockRoles, readChannelIds } from './site.ts';

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
    const { now } = context;
    return manage(context, async ({ db }) => {
      await lockRoles(db, siteId);
      const idOf = await readChannelIds(db, siteId);
      const uidOf = new Map([...idOf].map(([uid, channel]) => [channel, uid]));
      const stored = checkRights(rights, uidOf);
      const before = await db.role.findUnique({ where: { siteId_id: { siteId, id } } });
      const change = { siteId, type: 'role', subject: id } as const;
      if (before === null) {
        if ((await db.role.count({ where: { siteId } })) >= maxRoles) {
          fail('conflict', `A site has at most ${maxRoles} roles of its own.`);
        }
        const data = { siteId, id, name: name ?? null, rights: stored, createdAt: now, updatedAt: now };
        const row = await db.role.create({ data });
        return { result: true, changes: [{ ...change, action: 'created', before: null, after: auditRole(row, idOf) }] };
      }
      const data = { name: name ?? before.name, rights: stored, updatedAt: now };
      const row = await db.role.update({ where: { siteId_id: { siteId, id } }, data });
      const [old, after] = [auditRole(before, idOf), auditRole(row, idOf)];
      return { result: false, changes: [{ ...change, action: 'updated', before: old, after }] };
    });
  },
};
