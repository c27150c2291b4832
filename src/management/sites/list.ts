// Lists all sites, oldest first, except those with an unfinished import. Only the command line has this operation
// (docs/contract.md §8).
import type { Site } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';

export const listSites: ManagementOperation<{ args: object; done: readonly Site[] }> = {
  name: 'listSites',
  callers: operators,

  run: (_input, { services: { db } }) =>
    db.site.findMany({ where: { importing: null }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),
};
