import type { ReadingClient } from './client.ts';
import type { Statements } from './statements.ts';

/** How many sites a statement names that is about all of them. */
export const maxSitesAtOnce = 1_000;

/** The ids of all sites, as many at a time as one statement may name. Of a million sites, only these are read at once. */
export async function* siteBatches(db: Pick<ReadingClient, 'site'>): AsyncGenerator<string[], void> {
  for (let last = ''; ;) {
    const rows = await db.site.findMany({
      select: { id: true },
      where: { id: { gt: last } },
      orderBy: { id: 'asc' },
      take: maxSitesAtOnce,
    });
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) yield ids;
    if (ids.length < maxSitesAtOnce) return;
    last = ids.at(-1) ?? last;
  }
}

/** The same for the sites that have webhooks. */
export async function* webhookSites(db: Statements): AsyncGenerator<string[], void> {
  for (let last = ''; ;) {
    const rows: { site: string }[] = await db.$queryRaw`SELECT DISTINCT w.site_id AS site FROM webhooks w
      WHERE w.site_id > ${last} ORDER BY w.site_id LIMIT ${maxSitesAtOnce}`;
    const sites = rows.map(({ site }) => site);
    if (sites.length > 0) yield sites;
    if (sites.length < maxSitesAtOnce) return;
    last = sites.at(-1) ?? last;
  }
}
