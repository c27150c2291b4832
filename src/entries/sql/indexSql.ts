// Builds the SQL on the side table of indexed and unique fields, `entry_values`, which is written together with
// entries. Pure.
import type { IndexedValue } from '../../fields/stored.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';

/** A value of the side table, and the id of its entry. */
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

/** Selects the rows of `wanted` whose unique value another entry of the channel has. */
export function takenValues({ siteId, uid }: Pick<Channel, 'siteId' | 'uid'>): Prisma.Sql {
  return Prisma.sql`SELECT i.id, v.field FROM entry_values v JOIN wanted i ON v.field = i.field AND v.digest = i.digest
    WHERE v.site_id = ${siteId} AND v.channel_uid = ${uid}::uuid AND v.entry_id <> i.id`;
}
