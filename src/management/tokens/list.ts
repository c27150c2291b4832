// Lists the tokens of a site, newest first, revoked and expired ones included (docs/contract.md §2, §7).
import { managers } from '../../rules/callers.ts';
import { presentToken, type PublicToken, type SiteToken } from './serializer.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { readScopeNames } from './scopes.ts';

/** Maximum number of listed tokens of a site, the newest. */
const maxListedTokens = 1_000;

export const listTokens: ManagementOperation<{ args: object; done: readonly SiteToken[]; result: PublicToken[] }> = {
  name: 'listTokens',
  callers: managers,
  needs: ['tokens'],

  run: async (_input, { services: { db }, site: siteId }) => {
    const rows = await db.token.findMany({
      // User tokens are their users' own.
      where: { siteId, userId: null },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: maxListedTokens,
    });
    return rows as SiteToken[];
  },

  present: async (rows, _input, { services: { db } }) => {
    const nameScopes = await readScopeNames(rows, db);
    return rows.map((row) => presentToken(row, nameScopes(row)));
  },
};
