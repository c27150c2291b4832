import type { ReadingClient } from './client.ts';
import type { Statements } from './statements.ts';

/** How many sites a statement names that is about all of them. */
export const maxSitesAtOnce = 1_000;

/** The ids of all sites, as many at a time as one statement may name. Of a million sites, only these are read at once. */
export function siteBatches(db: Pick<ReadingClient, 'site'>): AsyncGenerator<string[], void> {
  return readInBatches(async (last) => {
    const orderBy = { id: 'asc' } as const;
    const rows = await db.site.findMany({
      select: { id: true },
      where: { id: { gt: last } },
      orderBy,
      take: maxSitesAtOnce,
    });
    return rows.map(({ id }) => id);
  });
}

/** The same for the sites that have webhooks. */
export function webhookSites(db: Statements): AsyncGenerator<string[], void> {
  return readInBatches(async (last) => {
    const rows = await db.$queryRaw<{ site: string }[]>`SELECT DISTINCT w.site_id AS site FROM webhooks w
      WHERE w.site_id > ${last} ORDER BY w.site_id LIMIT ${maxSitesAtOnce}`;
    return rows.map(({ site }) => site);
  });
}

/** The same for the sites that have records of changes without places. */
export function unplacedSites(db: {
  readonly entry: { findUnplaced(last: string): Promise<string[]> };
}): AsyncGenerator<string[], void> {
  return readInBatches((last) => db.entry.findUnplaced(last));
}

/** @param readBehind reads the next sites behind one, at most `maxSitesAtOnce`, in their order */
async function* readInBatches(readBehind: (last: string) => Promise<string[]>): AsyncGenerator<string[], void> {
  for (let last = ''; ;) {
    const sites = await readBehind(last);
    if (sites.length > 0) yield sites;
    if (sites.length < maxSitesAtOnce) return;
    last = sites.at(-1) ?? last;
  }
}

/**
 * Deletes rows of sites, one after the other, until a limit is reached: a statement that writes is about one site.
 * @param found the sites that have such rows
 * @param deleteOf deletes some of a site's, at most as many as the limit says
 * @returns how many were deleted
 */
export async function deleteBySite(
  found: readonly { readonly site: string }[],
  limit: number,
  deleteOf: (site: string, limit: number) => Promise<number>,
): Promise<number> {
  let deleted = 0;
  for (const { site } of found) {
    if (deleted < limit) deleted += await deleteOf(site, limit - deleted);
  }
  return deleted;
}
