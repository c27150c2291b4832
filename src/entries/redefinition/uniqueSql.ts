// Builds the SQL that enforces a new unique field on a channel's existing entries. Pure.
import type { FieldDefinition } from '../../fields/definition.ts';
import { fieldTypes } from '../../fields/types.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';

type UniqueField = Pick<FieldDefinition, 'name' | 'type'>;

/** The version and the fields of a channel after its change. */
export interface DeclaredAfter {
  readonly version: number;
  readonly fields: readonly FieldDefinition[];
}

/**
 * Builds the statement that claims each entry's original value of a field, so that no other entry can get the same
 * value. It violates the unique constraint if two entries have the same value. Claims of values that no longer fit the
 * field are released when the entries are rebuilt.
 * @param declared the version and fields that the channel must have: if the update before it did not take effect,
 * nothing is claimed
 */
export function claimValuesSql(
  { siteId, uid }: Channel,
  { version, fields }: DeclaredAfter,
  { name: field, type }: UniqueField,
): Prisma.Sql {
  return Prisma.sql`SELECT entryway_claim_values(${siteId}::text, ${uid}::uuid, ${version}::int, ${JSON.stringify(fields)}::jsonb,
    ${field}::text, ${fieldTypes[type].json}::text)::text AS claimed`;
}

/**
 * Builds the statement that counts the entries that share their value of a field with another one; it stops at `limit`
 * values.
 */
export function countDuplicatesSql(
  { siteId, uid }: Channel,
  { name: field, type }: UniqueField,
  limit: number,
): Prisma.Sql {
  return Prisma.sql`
    SELECT coalesce(sum(shared.count), 0)::int AS count FROM (
      SELECT count(*) AS count FROM entries e
      WHERE e.site_id = ${siteId} AND e.channel_uid = ${uid}::uuid AND ${hasFieldType(field, type)}
      GROUP BY entryway_digest(${originalValue(field)}) HAVING count(*) > 1 LIMIT ${limit}) AS shared`;
}

/** The original value of an entry's field, even if it is not shown at the moment. */
function originalValue(field: string): Prisma.Sql {
  return Prisma.sql`coalesce(e.kept -> ${field}::text, e.data -> ${field}::text)`;
}

/** Whether that value has the JSON type of the field's values. */
function hasFieldType(field: string, type: FieldDefinition['type']): Prisma.Sql {
  return Prisma.sql`jsonb_typeof(${originalValue(field)}) = ${fieldTypes[type].json}`;
}
