// The statements that find dangling references when a channel's fields change: ids of entries that the target channel
// does not have.
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import { uuidShape } from '../../rules/names.ts';

/** A new reference field, and the channel that it refers to. */
export interface ReferringField {
  readonly name: string;
  readonly isList: boolean;
  readonly target: Pick<Channel, 'siteId' | 'uid'>;
}

/**
 * Builds the statement that counts the entries whose value of a field is a dangling reference: it has the form of a
 * reference, but no entry of the target channel has the id. Counting stops at `limit`.
 */
export function countDanglingSql({ siteId, uid }: Channel, field: ReferringField, limit: number): Prisma.Sql {
  return Prisma.sql`SELECT count(*)::int AS count FROM (
    SELECT 1 FROM entries e WHERE e.site_id = ${siteId} AND e.channel_uid = ${uid}::uuid AND ${isDangling(field)}
    LIMIT ${limit}) AS dangling`;
}

/**
 * Builds a statement that fails by a division by zero if an entry has a dangling reference, which aborts its
 * transaction.
 */
export function failIfDangling(channel: Channel, field: ReferringField): Prisma.Sql {
  return Prisma.sql`SELECT 1 / (1 - dangling.count) AS none FROM (${countDanglingSql(channel, field, 1)}) AS dangling`;
}

/**
 * Whether the original value of a field of `entries e` is a dangling reference, even if the value is not shown at the
 * moment.
 */
function isDangling({ name, isList, target }: ReferringField): Prisma.Sql {
  const original = Prisma.sql`coalesce(e.kept -> ${name}::text, e.data -> ${name}::text)`;
  const items = isList
    ? Prisma.sql`CASE jsonb_typeof(${original}) WHEN 'array' THEN ${original} ELSE '[]'::jsonb END`
    : Prisma.sql`jsonb_build_array(${original})`;
  const isThere = Prisma.sql`EXISTS (SELECT 1 FROM entries t WHERE t.site_id = ${target.siteId}
    AND t.channel_uid = ${target.uid}::uuid AND t.id = item.id LIMIT 1)`;
  return Prisma.sql`(SELECT coalesce(bool_and(item.id IS NOT NULL), FALSE) AND coalesce(bool_or(NOT ${isThere}), FALSE)
    FROM (SELECT CASE WHEN jsonb_typeof(i.value) = 'string' AND i.value #>> '{}' ~* ${uuidShape.source}
        THEN (i.value #>> '{}')::uuid END AS id FROM jsonb_array_elements(${items}) AS i(value)) AS item)`;
}
