// The statements that follow references: from the ids that an entry has, or the names that a writer sends, to entries of the
// field's channel, by the one predicate of predicate.ts.
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import { uuidShape, type EntryKey } from '../rules/slug.ts';
import type { Viewer } from '../rules/visibility.ts';
import type { EntryRow } from './members.ts';
import { selectRow } from './memberSql.ts';
import type { ModelContext } from './read.ts';
import { channelEntries, visibleEntries } from './predicate.ts';

/** How many characters are read of a title that stands for its entry. */
const maxStubTitle = 1_000;

/**
 * Finds the entries of some ids that a viewer may see.
 * @param wholeIds the ids whose entries are read whole; of the others only the names and the title are read
 */
export async function findVisibleByIds(
  this: ModelContext,
  channel: Channel,
  viewer: Viewer,
  ids: readonly string[],
  wholeIds: readonly string[],
): Promise<EntryRow[]> {
  const isWhole = Prisma.sql`e.id = ANY(${[...wholeIds]}::uuid[])`;
  const values = (column: Prisma.Sql): Prisma.Sql =>
    Prisma.sql`CASE WHEN ${isWhole} THEN ${column} ELSE ${titleAlone(column, channel.titleField)} END`;
  const acl = Prisma.sql`CASE WHEN ${isWhole} THEN e.acl ELSE '{}'::jsonb END`;
  return this.$parent.$queryRaw<EntryRow[]>`
    SELECT ${selectRow({ acl, data: values(Prisma.sql`e.data`), kept: values(Prisma.sql`e.kept`) })}
    FROM entries e WHERE ${visibleEntries(channel, viewer)} AND e.id = ANY(${[...ids]}::uuid[]) LIMIT ${ids.length}`;
}

/** An object with one of its members alone, a text cut to its beginning; an empty object where it has none of that name. */
function titleAlone(column: Prisma.Sql, name: string): Prisma.Sql {
  const value = Prisma.sql`${column} -> ${name}::text`;
  return Prisma.sql`CASE WHEN (${value}) IS NULL THEN '{}'::jsonb ELSE jsonb_build_object(${name}::text,
    CASE jsonb_typeof(${value}) WHEN 'string' THEN to_jsonb(left(${column} ->> ${name}::text, ${maxStubTitle}::int))
      WHEN 'object' THEN 'null'::jsonb WHEN 'array' THEN 'null'::jsonb ELSE ${value} END) END`;
}

/** An entry that a writer names, or that their entry refers to already. */
export interface ReferableEntry {
  readonly id: string;
  readonly shortId: string;
  readonly slug: string;
  /** Whether the writer may see it. */
  readonly visible: boolean;
}

/**
 * Finds the entries that a writer may refer to by some names, and those that the entry refers to already, whether or not the
 * writer may see them.
 * @param heldIds the ids that the entry refers to already
 */
export async function findReferable(
  this: ModelContext,
  channel: Channel,
  viewer: Viewer,
  keys: readonly EntryKey[],
  heldIds: readonly string[],
): Promise<ReferableEntry[]> {
  const valuesBy = (by: EntryKey['by']): string[] => keys.filter((key) => key.by === by).map(({ value }) => value);
  const visible = visibleEntries(channel, viewer);
  const isHeld = Prisma.sql`e.id = ANY(${[...heldIds]}::uuid[])`;
  const isNamed = Prisma.sql`e.id = ANY(${valuesBy('id')}::uuid[]) OR e.short_id = ANY(${valuesBy('shortId')}::text[])
    OR e.slug = ANY(${valuesBy('slug')}::text[])`;
  return this.$parent.$queryRaw<ReferableEntry[]>`
    SELECT e.id, e.short_id AS "shortId", e.slug, (${visible}) AS visible FROM entries e
    WHERE ${channelEntries(channel)} AND (${isHeld} OR ((${isNamed}) AND ${visible})) LIMIT ${keys.length + heldIds.length}`;
}

/** A field that is to refer to entries of a channel, the target. */
export interface ReferringField {
  readonly name: string;
  readonly isList: boolean;
  readonly target: Pick<Channel, 'siteId' | 'uid'>;
}

/**
 * Counts the entries whose value of a field has the form of a reference and leads to no entry of the target channel; counting
 * stops at `limit`.
 */
export function countDanglingSql({ siteId, uid }: Channel, field: ReferringField, limit: number): Prisma.Sql {
  return Prisma.sql`SELECT count(*)::int AS count FROM (
    SELECT 1 FROM entries e WHERE e.site_id = ${siteId} AND e.channel_uid = ${uid}::uuid AND ${isDangling(field)}
    LIMIT ${limit}) AS dangling`;
}

/** A statement that fails, by a division by zero, where an entry has such a value: its transaction fails with it. */
export function failIfDangling(channel: Channel, field: ReferringField): Prisma.Sql {
  return Prisma.sql`SELECT 1 / (1 - dangling.count) AS none FROM (${countDanglingSql(channel, field, 1)}) AS dangling`;
}

/** Whether the value of a field of `entries e`, shown or only kept, is such a value. */
function isDangling({ name, isList, target }: ReferringField): Prisma.Sql {
  const given = Prisma.sql`coalesce(e.kept -> ${name}::text, e.data -> ${name}::text)`;
  const items = isList
    ? Prisma.sql`CASE jsonb_typeof(${given}) WHEN 'array' THEN ${given} ELSE '[]'::jsonb END`
    : Prisma.sql`jsonb_build_array(${given})`;
  const isThere = Prisma.sql`EXISTS (SELECT 1 FROM entries t WHERE t.site_id = ${target.siteId}
    AND t.channel_uid = ${target.uid}::uuid AND t.id = item.id LIMIT 1)`;
  return Prisma.sql`(SELECT coalesce(bool_and(item.id IS NOT NULL), FALSE) AND coalesce(bool_or(NOT ${isThere}), FALSE)
    FROM (SELECT CASE WHEN jsonb_typeof(i.value) = 'string' AND i.value #>> '{}' ~* ${uuidShape.source}
        THEN (i.value #>> '{}')::uuid END AS id FROM jsonb_array_elements(${items}) AS i(value)) AS item)`;
}
