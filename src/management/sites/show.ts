// Shows a site, and how many things belong to it. Only the command line has this operation (docs/contract.md §12.1).
import type { Context } from '../../resolvers/context.ts';
import { countWithoutTimeout } from '../../database/longStatements.ts';
import { countOfSite } from '../../entries/whole.ts';
import type { Site } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import { authorizedByLoad, type Operation } from '../../resolvers/perform.ts';
import { findSite } from './find.ts';

interface ShowSiteArguments {
  readonly id: string;
}

/** How many of each belong to a site. Revoked and expired tokens count, too. */
interface SiteCounts {
  readonly channels: number;
  readonly entries: number;
  readonly customers: number;
  readonly tokens: number;
  readonly members: number;
}

type ShownSite = Site & SiteCounts;

export const showSite: Operation<ShowSiteArguments, ShowSiteArguments, Site, SiteCounts, ShownSite, Context> = {
  name: 'showSite',
  callers: operators,

  parse: (args) => args,

  load: ({ id }, context) => findSite(id, context),

  authorize: authorizedByLoad,

  run: async ({ id: siteId }, _input, { services: { db } }) => ({
    channels: await db.channel.count({ where: { siteId } }),
    entries: await countWithoutTimeout(db, countOfSite(siteId)),
    customers: await db.customer.count({ where: { siteId } }),
    tokens: await db.token.count({ where: { siteId } }),
    members: await db.membership.count({ where: { siteId } }),
  }),

  present: (counts, site) => ({ ...site, ...counts }),
};
