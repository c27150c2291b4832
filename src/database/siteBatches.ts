import type { ReadingClient } from './client.ts';
import type { Statements } from './statements.ts';

/** Maximum number of sites in one statement. */
export const maxSitesAtOnce = 1_000;

/** The ids of all sites in batches for one statement each. Only one batch is in memory. */
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

/** The ids of the sites that have webhooks, in batches. */
export function webhookSites(db: Statements): AsyncGenerator<string[], void> {
  return readInBatches(async (last) => {
    const rows = await db.$queryRaw<{ site: string }[]>`SELECT DISTINCT w.site_id AS site FROM webhooks w
      WHERE w.site_id > ${last} ORDER BY w.site_id LIMIT ${maxSitesAtOnce}`;
    return rows.map(({ site }) => site);
  });
}

/** The ids of the sites that have records of changes without positions, in batches. */
export function unassignedSites(db: {
  readonly entry: { findUnassigned(last: string): Promise<string[]> };
}): AsyncGenerator<string[], void> {
  return readInBatches((last) => db.entry.findUnassigned(last));
}

/** @param readBehind reads the next sites after one, at most `maxSitesAtOnce`, in their order */
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
 * @param sites the sites that have such rows
 * @param deleteOf deletes some of a site's rows, up to a limit
 * @returns the number of deleted rows
 */
export async function deleteBySite(
  sites: readonly { readonly site: string }[],
  limit: number,
  deleteOf: (site: string, limit: number) => Promise<number>,
): Promise<number> {
  let deleted = 0;
  for (const { site } of sites) {
    if (deleted < limit) deleted += await deleteOf(site, limit - deleted);
  }
  return deleted;
}
