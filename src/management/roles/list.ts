// Lists the roles of a site, the built-in ones first (docs/contract.md §14.2).
import { managers } from '../../rules/callers.ts';
import { builtInRoles } from '../../rules/rights.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { presentBuiltIn, presentRole, type PublicRole } from './serializer.ts';
import { readChannelIds } from './site.ts';

export const listRoles: ManagementOperation<{ args: object; done: PublicRole[] }> = {
  name: 'listRoles',
  callers: managers,
  needs: ['members'],

  run: async (_args, { services: { db }, site: siteId }) => {
    const idOf = await readChannelIds(db, siteId);
    const own = await db.role.findMany({ where: { siteId }, orderBy: { id: 'asc' } });
    return [...builtInRoles.map(presentBuiltIn), ...own.map((row) => presentRole(row, idOf))];
  },
};
