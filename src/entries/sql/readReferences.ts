// The statements that read the targets of references, for readers and writers: methods of the Prisma model `entry` (model.ts).
import type { Budget } from '../../admission/budget.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../rules/callers.ts';
import type { EntryKey } from '../../rules/names.ts';
import { briefColumns, pageUpTo, rowUpTo } from './memberSql.ts';
import { channelEntries, visibleEntries } from './predicate.ts';
import type { ModelContext } from '../modelContext.ts';
import { readCounted } from './readCounted.ts';
import type { EntryRow } from '../row.ts';

/** The length of a stub's title, in characters. */
const maxStubTitle = 1_000;

/**
 * Finds the entries with some ids that a viewer may see, in any order.
 * @param wholeIds the ids of the entries to read whole; of the others only the names and the title are read
 * @throws as `takeRows`
 */
export async function findVisibleByIds(
  this: ModelContext,
  channel: Channel,
  viewer: Viewer,
  ids: readonly string[],
  wholeIds: readonly string[],
  takeRows: Budget['takeRows'],
): Promise<EntryRow[]> {
  if (ids.length === 0) return [];
  const title = { data: titleAlone(Prisma.sql`e.data`, channel), kept: titleAlone(Prisma.sql`e.kept`, channel) };
  const isWhole = Prisma.sql`e.id = ANY(${[...wholeIds]}::uuid[])`;
  const page = Prisma.sql`SELECT ${briefColumns(channel, isWhole, title)}
    FROM entries e WHERE ${visibleEntries(channel, viewer)} AND e.id = ANY(${[...ids]}::uuid[]) LIMIT ${ids.length}`;
  const select = {
    selectEach: (maxBytes: number) => Prisma.sql`SELECT ${rowUpTo(maxBytes)} FROM (${page}) AS e`,
    selectAll: (maxBytes: number) => pageUpTo(maxBytes, page, Prisma.empty),
  };
  const run = <Row>(statement: Prisma.Sql): Promise<Row[]> => this.statements.readPrepared(statement);
  const rows = await readCounted(select, { run, limit: ids.length, takeRows, channel });
  return rows.map(({ row }) => row);
}

/**
 * Reduces a JSON object to one member, whose text is cut to the length of a stub's title; `{}` without such a member.
 */
function titleAlone(column: Prisma.Sql, { titleField: name }: Channel): Prisma.Sql {
  const value = Prisma.sql`${column} -> ${name}::text`;
  return Prisma.sql`CASE WHEN (${value}) IS NULL THEN '{}'::jsonb ELSE jsonb_build_object(${name}::text,
    CASE jsonb_typeof(${value}) WHEN 'string' THEN to_jsonb(left(${column} ->> ${name}::text, ${maxStubTitle}::int))
      WHEN 'object' THEN 'null'::jsonb WHEN 'array' THEN 'null'::jsonb ELSE ${value} END) END`;
}

/** An entry that a writer may refer to, or that the written entry refers to already. */
export interface ReferableEntry {
  readonly id: string;
  readonly shortId: string;
  readonly slug: string;
  /** Whether the writer may see it. */
  readonly visible: boolean;
}

/**
 * Finds the entries with some names that a writer may see, and those that the written entry refers to already, even if
 * they are hidden from the writer.
 * @param heldIds the ids that the written entry refers to already
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
  return this.statements.readPrepared<ReferableEntry>(Prisma.sql`
    SELECT e.id, e.short_id AS "shortId", e.slug, (${visible}) AS visible FROM entries e
    WHERE ${channelEntries(channel)} AND (${isHeld} OR ((${isNamed}) AND ${visible})) LIMIT ${keys.length + heldIds.length}`);
}
