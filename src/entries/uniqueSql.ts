// Making a field of a channel unique over the values that its entries have already. Pure.
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import { fieldTypes } from '../fields/types.ts';
import { digestOf } from './indexSql.ts';

type Field = Pick<FieldDefinition, 'name' | 'type'>;

/** What a channel has after its change. */
export interface Declared {
  readonly version: number;
  readonly fields: readonly FieldDefinition[];
}

/**
 * Claims for each entry the value that it was given in a field, so that no other can have it from now on: the database
 * refuses where two have the same. Values that do not fit the field any more are let go when the entries are rebuilt.
 * @param declared what the channel has to have by now
 */
export function claimValues(
  { siteId, uid }: Channel,
  { version, fields }: Declared,
  { name: field, type }: Field,
): Prisma.Sql {
  return Prisma.sql`
    WITH cleared AS (
      UPDATE entry_values v SET digest = NULL
      WHERE v.site_id = ${siteId} AND v.channel_uid = ${uid}::uuid AND v.field = ${field} AND v.digest IS NOT NULL
        AND NOT EXISTS (
          SELECT 1 FROM entries e WHERE e.site_id = ${siteId} AND e.id = v.entry_id AND ${hasType(field, type)})
    )
    INSERT INTO entry_values (site_id, entry_id, channel_uid, field, digest)
    SELECT e.site_id, e.id, e.channel_uid, ${field}, ${digestOf(given(field))} FROM entries e JOIN channels c
      ON c.site_id = e.site_id AND c.uid = e.channel_uid AND c.version = ${version}
        AND c.fields = ${JSON.stringify(fields)}::jsonb
    WHERE e.site_id = ${siteId} AND e.channel_uid = ${uid}::uuid AND ${hasType(field, type)}
    ON CONFLICT (site_id, entry_id, field) DO UPDATE SET digest = EXCLUDED.digest`;
}

/** Counts the entries of a channel that share their value in a field with another, no further than `limit`. */
export function duplicatesOf({ siteId, uid }: Channel, { name: field, type }: Field, limit: number): Prisma.Sql {
  return Prisma.sql`
    SELECT coalesce(sum(shared.count), 0)::int AS count FROM (
      SELECT count(*) AS count FROM entries e
      WHERE e.site_id = ${siteId} AND e.channel_uid = ${uid}::uuid AND ${hasType(field, type)}
      GROUP BY ${digestOf(given(field))} HAVING count(*) > 1 LIMIT ${limit}) AS shared`;
}

/** The value that an entry was given, shown or not. */
function given(field: string): Prisma.Sql {
  return Prisma.sql`coalesce(e.kept -> ${field}::text, e.data -> ${field}::text)`;
}

/** Whether it has the JSON type of the field's values. */
function hasType(field: string, type: FieldDefinition['type']): Prisma.Sql {
  return Prisma.sql`jsonb_typeof(${given(field)}) = ${fieldTypes[type].json}`;
}
