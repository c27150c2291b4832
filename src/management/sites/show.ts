// Shows a site, and the numbers of objects that belong to it. Only the command line has this operation
// (docs/contract.md §12.1).
import { countWithoutTimeout } from '../../database/longStatements.ts';
import { countOfSite } from '../../entries/whole.ts';
import type { Site } from '../../generated/prisma/client.ts';
import { operators } from '../../rules/callers.ts';
import type { ManagementOperation } from '../../resolvers/operation.ts';
import { findSite } from './find.ts';

interface ShowSiteArguments {
  readonly id: string;
}

/** The numbers of a site's objects. Revoked and expired tokens count, too. */
interface SiteCounts {
  readonly channels: number;
  readonly entries: number;
  readonly customers: number;
  readonly tokens: number;
  readonly members: number;
}

type ShownSite = Site & SiteCounts;

export const showSite: ManagementOperation<{ args: ShowSiteArguments; done: ShownSite }> = {
  name: 'showSite',
  callers: operators,

  run: async ({ id }, { services: { db } }) => {
    const site = await findSite(id, { services: { db } });
    const siteId = site.id;
    return {
      ...site,
      channels: await db.channel.count({ where: { siteId } }),
      entries: await countWithoutTimeout(db, countOfSite(siteId)),
      customers: await db.customer.count({ where: { siteId } }),
      tokens: await db.token.count({ where: { siteId, userId: null } }),
      members: await db.membership.count({ where: { siteId } }),
    };
  },
};
