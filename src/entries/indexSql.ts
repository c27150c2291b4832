// The side table of indexed and unique fields: what is written to it together with an entry. Pure.
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import { keyLength, textKey, type IndexedValue } from '../fields/indexed.ts';

/** A value of one of several entries. */
export type ValueOf = IndexedValue & { readonly id: string };

/** The rows of some entries' values, with the key that orders each and the digest that holds unique ones so. */
export function indexedRows(values: readonly ValueOf[]): Prisma.Sql {
  return Prisma.sql`SELECT r.id, r.field, ${keyOf(Prisma.sql`r.value`, Prisma.sql`r.key`)} AS key,
      CASE WHEN r."unique" THEN ${digestOf(Prisma.sql`r.value`)} END AS digest
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS r(id uuid, field text, value jsonb, key text, "unique" boolean)`;
}

/** The key of a JSON value: that of a text is its folded beginning, that of another value is given. */
export function keyOf(value: Prisma.Sql, given: Prisma.Sql): Prisma.Sql {
  const folded = Prisma.sql`${textKey} || entryway_fold(left(${value} #>> '{}', ${keyLength}::int))`;
  return Prisma.sql`CASE WHEN jsonb_typeof(${value}) = 'string' THEN ${folded} ELSE ${given} END COLLATE "C"`;
}

/** What equals for equal JSON scalars alone: numbers by value, however they were written. */
export function digestOf(value: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`sha256(convert_to(CASE jsonb_typeof(${value}) WHEN 'number' THEN trim_scale((${value})::numeric)::text
    ELSE ${value} #>> '{}' END, 'UTF8'))`;
}

/** Puts the rows of `wanted` beside the entries of `written` (site_id, id, channel_uid), over those that stand there. */
export function storeValues(written: Prisma.Sql, wanted: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`INSERT INTO entry_values (site_id, entry_id, channel_uid, field, key, digest)
    SELECT w.site_id, w.id, w.channel_uid, i.field, i.key, i.digest FROM ${written} AS w JOIN ${wanted} AS i ON i.id = w.id
    ORDER BY i.field, i.digest, w.id
    ON CONFLICT (site_id, entry_id, field) DO UPDATE SET key = EXCLUDED.key, digest = EXCLUDED.digest
    WHERE (entry_values.key, entry_values.digest) IS DISTINCT FROM (EXCLUDED.key, EXCLUDED.digest)`;
}

/** Those of the rows of `wanted` whose value is another entry's in a channel. */
export function takenValues({ siteId, uid }: Pick<Channel, 'siteId' | 'uid'>): Prisma.Sql {
  return Prisma.sql`SELECT i.id, v.field FROM entry_values v JOIN wanted i ON v.field = i.field AND v.digest = i.digest
    WHERE v.site_id = ${siteId} AND v.channel_uid = ${uid}::uuid AND v.entry_id <> i.id`;
}
