// Creates a site, which is a tenant. Only the command line has this operation (docs/contract.md §8).
import type { Context } from '../../context.ts';
import { fail } from '../../errors.ts';
import type { Site } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../perform.ts';

interface CreateSiteArguments {
  readonly id: string;
  readonly name: string;
}

export const createSite: Operation<CreateSiteArguments, CreateSiteArguments, null, Site, Site, Context> = {
  name: 'createSite',
  callers: operators,

  parse: (args) => args,

  load: loadNothing,

  authorize: authorizedByLoad,

  run: async (_loaded, { id, name }, { db, now }) => {
    const [site] = await db.site.createManyAndReturn({ data: [{ id, name, createdAt: now }], skipDuplicates: true });
    return site ?? fail('conflict', `There is a site "${id}" already: choose another id, or use that one.`);
  },

  present: (site) => site,
};
