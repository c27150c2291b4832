// The statements that follow references: from the ids that an entry holds, or the names that a writer sends, to entries
// of the field's channel, by the one predicate of where.ts.
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import { uuidShape, type EntryKey } from '../rules/slug.ts';
import type { Viewer } from '../rules/visibility.ts';
import type { EntryRow } from './members.ts';
import { selectRow } from './memberSql.ts';
import type { Statements } from '../database/transaction.ts';
import { channelEntries, visibleEntries } from './predicate.ts';

/** How much is read of a title that stands for its entry, in characters. */
const shownOfTitle = 1_000;

/**
 * Those of some entries of a channel that a viewer may see, by one statement.
 * @param whole those that are read whole; of the others no more than their names and their title
 */
export async function findTargets(
  db: Statements,
  channel: Channel,
  viewer: Viewer,
  ids: readonly string[],
  whole: readonly string[],
): Promise<EntryRow[]> {
  const isWhole = Prisma.sql`e.id = ANY(${[...whole]}::uuid[])`;
  const values = (column: Prisma.Sql): Prisma.Sql =>
    Prisma.sql`CASE WHEN ${isWhole} THEN ${column} ELSE ${titleAlone(column, channel.titleField)} END`;
  const acl = Prisma.sql`CASE WHEN ${isWhole} THEN e.acl ELSE '{}'::jsonb END`;
  return db.$queryRaw<EntryRow[]>`
    SELECT ${selectRow({ acl, data: values(Prisma.sql`e.data`), kept: values(Prisma.sql`e.kept`) })}
    FROM entries e WHERE ${visibleEntries(channel, viewer)} AND e.id = ANY(${[...ids]}::uuid[]) LIMIT ${ids.length}`;
}

/** An object's member of a name, a text cut short; an empty object where it has none. */
function titleAlone(column: Prisma.Sql, name: string): Prisma.Sql {
  const value = Prisma.sql`${column} -> ${name}::text`;
  return Prisma.sql`CASE WHEN (${value}) IS NULL THEN '{}'::jsonb ELSE jsonb_build_object(${name}::text,
    CASE jsonb_typeof(${value}) WHEN 'string' THEN to_jsonb(left(${column} ->> ${name}::text, ${shownOfTitle}::int))
      WHEN 'object' THEN 'null'::jsonb WHEN 'array' THEN 'null'::jsonb ELSE ${value} END) END`;
}

/** An entry that a writer named, or that is referred to already. */
export interface NamedEntry {
  readonly id: string;
  readonly shortId: string;
  readonly slug: string;
  /** Whether the writer may see it. */
  readonly visible: boolean;
}

/**
 * The entries of a channel that a writer may refer to by some names, and those of `held`, which its entry refers to
 * already, whether or not the writer may see them; by one statement.
 */
export async function findNamed(
  db: Statements,
  channel: Channel,
  viewer: Viewer,
  keys: readonly EntryKey[],
  held: readonly string[],
): Promise<NamedEntry[]> {
  const valuesBy = (by: EntryKey['by']): string[] => keys.filter((key) => key.by === by).map(({ value }) => value);
  const visible = visibleEntries(channel, viewer);
  const isHeld = Prisma.sql`e.id = ANY(${[...held]}::uuid[])`;
  const isNamed = Prisma.sql`e.id = ANY(${valuesBy('id')}::uuid[]) OR e.short_id = ANY(${valuesBy('shortId')}::text[])
    OR e.slug = ANY(${valuesBy('slug')}::text[])`;
  return db.$queryRaw<NamedEntry[]>`
    SELECT e.id, e.short_id AS "shortId", e.slug, (${visible}) AS visible FROM entries e
    WHERE ${channelEntries(channel)} AND (${isHeld} OR ((${isNamed}) AND ${visible})) LIMIT ${keys.length + held.length}`;
}

/** A field that is to refer to entries of a channel. */
export interface ReferringField {
  readonly name: string;
  readonly isList: boolean;
  readonly target: Pick<Channel, 'siteId' | 'uid'>;
}

/** Counts the entries of a channel whose value of a field has its form and names no entry of its channel, to `limit`. */
export function countDanglingSql({ siteId, uid }: Channel, field: ReferringField, limit: number): Prisma.Sql {
  return Prisma.sql`SELECT count(*)::int AS count FROM (
    SELECT 1 FROM entries e WHERE e.site_id = ${siteId} AND e.channel_uid = ${uid}::uuid AND ${isDangling(field)}
    LIMIT ${limit}) AS dangling`;
}

/** A statement that fails (by a division by zero) where there are such entries, and with it its transaction. */
export function failIfDangling(channel: Channel, field: ReferringField): Prisma.Sql {
  return Prisma.sql`SELECT 1 / (1 - dangling.count) AS none FROM (${countDanglingSql(channel, field, 1)}) AS dangling`;
}

/** @param name of a field of `entries e`, whose value may be shown or not */
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
