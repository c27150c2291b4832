// The feeds of sites that stand (docs/scaling.md): whose place is behind one that a record has already, so that no further record can
// get one. Releases before the migration "places_in_turns" left such feeds where Citus moved a shard under writes.
import type { SqlSession } from '../database.ts';
import { firstUnplaced } from '../undelivered.ts';

/** The last place that a record of the feed's site has. */
const lastPlace = `(SELECT max(c.position) FROM changes c WHERE c.site_id = f.site_id AND c.position < ${firstUnplaced})`;

/** Finds the feeds that stand. @returns a statement for each that lets it go on; it changes nothing where the feed has gone on meanwhile */
export async function mendFeeds({ query }: SqlSession): Promise<string[]> {
  const rows = await query<{
    statement: string;
  }>(`SELECT format('UPDATE change_feeds f SET last = ${lastPlace} WHERE f.site_id = %L AND f.last < ${lastPlace}', f.site_id) AS statement
    FROM change_feeds f WHERE f.last < ${lastPlace} ORDER BY f.site_id`);
  return rows.map(({ statement }) => statement);
}
