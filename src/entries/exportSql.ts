// The statement that reads all entries of a channel for an export of its site. It checks no access: only operators run
// it.

import { columnName, settableMembers } from './members.ts';

/** Enums are selected as texts. */
const settable = settableMembers
  .map((name) => columnName(name))
  .map((column) => (column === 'status' ? 'e.status::text AS status' : `e.${column}`))
  .join(', ');

/**
 * Selects the entries of one channel for an export, oldest first; the parameters are the channel's site and uid. The
 * values are the original ones, because the import derives the others again.
 */
export const entriesOfChannel = `
  SELECT c.id AS channel, e.id, e.short_id, e.version, e.created_at, e.updated_at, ${settable}, e.data || e.kept AS "values"
  FROM entries e JOIN channels c ON c.site_id = e.site_id AND c.uid = e.channel_uid
  WHERE e.site_id = $1 AND e.channel_uid = $2::uuid AND c.site_id = $1 AND c.uid = $2::uuid
  ORDER BY e.created_at, e.id`;

/** Counts the entries of a site, its parameter. */
export const countOfEntries = 'SELECT count(*)::float8 AS count FROM entries e WHERE e.site_id = $1';
