// Lists all sites, oldest first, but for those whose import is not complete. Only the command line has this operation (docs/contract.md §8).
import type { Context } from '../../resolvers/context.ts';
import type { Site } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../../resolvers/perform.ts';

export const listSites: Operation<object, null, null, readonly Site[], readonly Site[], Context> = {
  name: 'listSites',
  callers: operators,

  parse: () => null,

  load: loadNothing,

  authorize: authorizedByLoad,

  run: (_loaded, _input, { services: { db } }) =>
    db.site.findMany({ where: { importing: null }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),

  present: (sites) => sites,
};
