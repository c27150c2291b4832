// Lists the tokens of a site, newest first, revoked and expired ones included (docs/contract.md §2, §7).
import type { Context } from '../../resolvers/context.ts';
import { managers } from '../../rules/callers.ts';
import { presentToken, type PublicToken, type SiteToken } from './serializer.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../../resolvers/perform.ts';

/** Only this many tokens of a site are listed, the newest. */
const maxListedTokens = 1_000;

export const listTokens: Operation<object, null, null, readonly SiteToken[], PublicToken[], Context> = {
  name: 'listTokens',
  callers: managers,

  parse: () => null,

  load: loadNothing,

  authorize: authorizedByLoad,

  run: async (_loaded, _input, { services: { db }, site: siteId }) => {
    const rows = await db.token.findMany({
      where: { siteId },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: maxListedTokens,
    });
    return rows as SiteToken[];
  },

  present: (rows) => rows.map(presentToken),
};
