import type { ReadingClient } from './client.ts';

/** How many sites a statement names that is about all of them. */
const maxSitesAtOnce = 1_000;

/** The ids of all sites, as many at a time as one statement may name. */
export async function* siteBatches(db: Pick<ReadingClient, 'site'>): AsyncGenerator<string[], void> {
  const ids = (await db.site.findMany({ select: { id: true } })).map(({ id }) => id);
  for (let at = 0; at < ids.length; at += maxSitesAtOnce) yield ids.slice(at, at + maxSitesAtOnce);
}
