// Fetches a role of a site, or one that is built in (docs/contract.md §14.2).
import { managers } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findBuiltIn, findOwnRole } from './find.ts';
import { presentBuiltIn, presentRole, type PublicRole } from './serializer.ts';
import { readChannelIds } from './site.ts';

export const fetchRole: ManagementOperation<{ args: { readonly id: string }; done: PublicRole }> = {
  name: 'fetchRole',
  callers: managers,
  needs: ['members'],

  run: async ({ id }, { services: { db }, site }) => {
    const builtIn = findBuiltIn(id);
    if (builtIn !== undefined) return presentBuiltIn(builtIn);
    return presentRole(await findOwnRole(db, site, id), await readChannelIds(db, site));
  },
};
