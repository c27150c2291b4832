// Builds the SQL on the side table of indexed and unique fields, `entry_values`, which is written together with
// entries. Pure.
import type { IndexedValue } from '../fields/stored.ts';
import { Prisma, type Channel } from '../generated/prisma/client.ts';

/** A value of the side table, and the id of the entry that has it. */
export type EntryIndexedValue = IndexedValue & { readonly id: string };

/**
 * The side table's rows for some values: lists are ordered by `key`; a unique constraint on `digest` enforces unique
 * values.
 */
export function indexedRows(values: readonly EntryIndexedValue[]): Prisma.Sql {
  return Prisma.sql`SELECT r.id, r.field, entryway_index_key(r.value, r.key) AS key,
      CASE WHEN r."unique" THEN entryway_digest(r.value) END AS digest
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS r(id uuid, field text, value jsonb, key text, "unique" boolean)`;
}

/**
 * Inserts the rows of `wanted` for the entries of `written` (site_id, id, channel_uid), or updates existing ones.
 * @param count how many rows `wanted` has; several are written in the order of their values
 */
export function storeValues(written: Prisma.Sql, wanted: Prisma.Sql, count: number): Prisma.Sql {
  const order = count > 1 ? Prisma.sql`ORDER BY i.field, i.digest, w.id` : Prisma.empty;
  return Prisma.sql`INSERT INTO entry_values (site_id, entry_id, channel_uid, field, key, digest)
    SELECT w.site_id, w.id, w.channel_uid, i.field, i.key, i.digest FROM ${written} AS w JOIN ${wanted} AS i ON i.id = w.id
    ${order}
    ON CONFLICT (site_id, entry_id, field) DO UPDATE SET key = EXCLUDED.key, digest = EXCLUDED.digest
    WHERE (entry_values.key, entry_values.digest) IS DISTINCT FROM (EXCLUDED.key, EXCLUDED.digest)`;
}

/** Selects the rows of `wanted` whose unique value another entry of the channel has. */
export function takenValues({ siteId, uid }: Pick<Channel, 'siteId' | 'uid'>): Prisma.Sql {
  return Prisma.sql`SELECT i.id, v.field FROM entry_values v JOIN wanted i ON v.field = i.field AND v.digest = i.digest
    WHERE v.site_id = ${siteId} AND v.channel_uid = ${uid}::uuid AND v.entry_id <> i.id`;
}
