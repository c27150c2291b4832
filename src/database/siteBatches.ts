import type { ReadingClient } from './client.ts';

/** How many sites a statement names that is about all of them. */
const maxSitesAtOnce = 1_000;

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
