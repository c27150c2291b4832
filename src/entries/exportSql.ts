// The statement that reads all entries of a channel for an export of its site: it checks no access, because the operator asks.

import { columnName, settableMembers } from './members.ts';

/** An enum as a text. */
const settable = settableMembers
  .map((name) => columnName(name))
  .map((column) => (column === 'status' ? 'e.status::text AS status' : `e.${column}`))
  .join(', ');

/**
 * Selects the entries of one channel as they are exported, oldest first; the parameters are the channel's site and uid. The
 * values are those that were given, because the import derives the others from them again.
 */
export const entriesOfChannel = `
  SELECT c.id AS channel, e.id, e.short_id, e.version, e.created_at, e.updated_at, ${settable}, e.data || e.kept AS "values"
  FROM entries e JOIN channels c ON c.site_id = e.site_id AND c.uid = e.channel_uid
  WHERE e.site_id = $1 AND e.channel_uid = $2::uuid AND c.site_id = $1 AND c.uid = $2::uuid
  ORDER BY e.created_at, e.id`;

/** Counts the entries of a site, which is the parameter. */
export const countOfEntries = 'SELECT count(*)::float8 AS count FROM entries e WHERE e.site_id = $1';
