// Repairs stuck feeds (docs/scaling.md): the next position of such a feed is one that a record has already, so that no
// further record can get one. Releases before the migration "places_in_turns" left such feeds where Citus moved a shard
// under writes.
import type { SqlSession } from '../database.ts';
import { firstUnassigned } from '../undelivered.ts';

/** The last position of a record in the feed's site. */
const lastPosition = `(SELECT max(c.position) FROM changes c WHERE c.site_id = f.site_id AND c.position < ${firstUnassigned})`;

/** Finds stuck feeds. @returns a statement for each that repairs it, and changes nothing if the feed has moved on */
export async function mendFeeds({ query }: SqlSession): Promise<string[]> {
  const rows = await query<{
    statement: string;
  }>(`SELECT format('UPDATE change_feeds f SET last = ${lastPosition} WHERE f.site_id = %L AND f.last < ${lastPosition}', f.site_id) AS statement
    FROM change_feeds f WHERE f.last < ${lastPosition} ORDER BY f.site_id`);
  return rows.map(({ statement }) => statement);
}
