// The statements that read entries: methods of the Prisma model `entry` (model.ts). They are written in SQL, because
// all of them combine the access predicate (predicate.ts) with filters, sort keys and searches of custom fields, which
// Prisma's `where` cannot express so that indexes serve them.
import type { Budget } from '../../admission/budget.ts';
import { isPromise } from '../../base/promiseOrValue.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import type { WriteAction } from '../../rules/access.ts';
import type { Viewer } from '../../rules/callers.ts';
import type { EntryKey } from '../../rules/names.ts';
import { searchCondition } from '../../search/searchSql.ts';
import type { EntryMatch } from './expressions.ts';
import { filterSql } from './filterSql.ts';
import { beginWithGranted } from './granted.ts';
import { pageUpTo, readableRows, readsAll, rowUpTo, wholeRow } from './memberSql.ts';
import type { ModelContext } from '../modelContext.ts';
import {
  listSource,
  derivesPosition,
  orderBySql,
  positionSql,
  rangesBehind,
  type ListOrder,
  type PositionedRow,
  type OrderStart,
  type PositionValue,
} from './orderSql.ts';
import { timeLimit, withinTime } from '../timeLimit.ts';
import { withPeriod, type TimedCount } from '../feed/publicationTimes.ts';
import { readCounted, type CountedRead } from './readCounted.ts';
import { EntryRow, type RowColumns } from '../row.ts';
import {
  andSql,
  channelEntries,
  entriesForWrite,
  hasName,
  hiddenFromPublic,
  readsByScope,
  valuesOf,
  viewerKind,
  viewerSlots,
  visibleBy,
  visibleEntries,
  type GivenViewer,
  type ViewerValues,
} from './predicate.ts';
import { Shapes, Slot } from '../statementShape.ts';

/** Finds the entry with a name; null if there is none that the viewer may see. */
export function findVisible(
  this: ModelContext,
  channel: Channel,
  viewer: Viewer,
  key: EntryKey,
): Promise<EntryRow | null> {
  const kind = viewerKind(viewer, channel);
  const statement =
    kind === null
      ? fetchSql(channel, viewer, key, valuesOf(viewer))
      : fetches
          .of(channel, `${kind} ${key.by}`, () => fetchSql(channel, viewer, { by: key.by, value: ofName }, viewerSlots))
          .fill({ viewer: valuesOf(viewer), name: key.value });
  const found = this.statements.readPrepared<RowColumns>(statement);
  return found.then(([row]) => (row === undefined ? null : new EntryRow(row, channel)));
}

/** The values of a fetch that differ from those of others of its kind. */
interface FetchValues extends GivenViewer {
  readonly name: string;
}

const fetches = new Shapes<FetchValues>();
const ofName = new Slot(({ name }: FetchValues) => name);

function fetchSql(
  channel: Channel,
  viewer: Viewer,
  name: Parameters<typeof hasName>[0],
  values: ViewerValues,
): Prisma.Sql {
  const visible = visibleBy(channel, viewer, values);
  const rows = Prisma.sql`FROM entries e WHERE ${visible} AND ${hasName(name)} LIMIT 1`;
  return readsAll(channel)
    ? Prisma.sql`SELECT ${wholeRow} ${rows}`
    : Prisma.sql`SELECT ${wholeRow} FROM (${readableRows(channel, Prisma.empty, rows)}) AS e`;
}

/** Finds the entry with a name for a write; null if there is none that the viewer may write or see. */
export async function findForWrite(
  this: ModelContext,
  channel: Channel,
  viewer: Viewer,
  action: WriteAction,
  key: EntryKey,
): Promise<EntryRow | null> {
  const rows = await this.statements.readPrepared<RowColumns>(Prisma.sql`
    SELECT ${wholeRow} FROM entries e WHERE ${entriesForWrite(channel, viewer, action)} AND ${hasName(key)} LIMIT 1`);
  return rows[0] ? new EntryRow(rows[0], channel) : null;
}

/** A list: the selection of entries, and their order. */
export interface EntryQuery extends EntryMatch {
  /** Made by `sortOrder` or `rankOrder` (orderSql.ts). */
  readonly order: ListOrder;
  /** Whether it is the order of lists that name none. */
  readonly isUsual: boolean;
}

/** The start of a page: after a number of rows, or at a position in the order. */
export type PageStart = { readonly offset: number } | OrderStart;

/** Lists at most `limit` entries that the viewer may see, in order. @throws as `takeRows` */
export async function listVisible(
  this: ModelContext,
  query: EntryQuery,
  start: PageStart,
  limit: number,
  takeRows: Budget['takeRows'],
): Promise<PositionedRow[]> {
  const { channel, order } = query;
  const beginning = beginWithGranted(this, query);
  const granted = isPromise(beginning) ? await beginning : beginning;
  const isOnePlan = hasOnePlan(query);
  const method = isOnePlan ? 'readPrepared' : 'read';
  const run: CountedRead['run'] = (statement) => withinTime(query, this.statements[method](statement));
  const isDerived = derivesPosition(order.keys);
  const positionColumn = isDerived ? Prisma.empty : Prisma.sql`, ${positionSql(order.keys)} AS "position"`;
  const innerPosition = isDerived ? Prisma.empty : Prisma.sql`, e."position"`;
  const isWhole = readsAll(channel);
  const readable = (rows: Prisma.Sql): Prisma.Sql => readableRows(channel, positionColumn, rows);
  const read = (range: Prisma.Sql | null, offset: number, count: number): Promise<PositionedRow[]> => {
    const source = (values: ViewerValues): Prisma.Sql => {
      const condition = matchSql(query, order.ordered?.name ?? null, granted, values);
      const where = range === null ? condition : andSql([condition, range]);
      const rows = literal(count);
      const kept = isOnePlan ? Prisma.sql`/* kept plan of ${rows} rows */` : Prisma.empty;
      return Prisma.sql`FROM ${listSource(order, channel)} ${kept} WHERE ${where} ORDER BY ${orderBySql(order.keys)}
        LIMIT ${rows} ${offset === 0 ? Prisma.empty : Prisma.sql`OFFSET ${offset}`}`;
    };
    const kind = range === null && offset === 0 ? listKind(query) : null;
    const select = {
      selectEach: (maxBytes: number) => {
        const make = (values: ViewerValues): Prisma.Sql =>
          isWhole
            ? Prisma.sql`SELECT ${rowUpTo(maxBytes)}${positionColumn} ${source(values)}`
            : Prisma.sql`SELECT ${rowUpTo(maxBytes)}${innerPosition} FROM (${readable(source(values))}) AS e`;
        const viewer = valuesOf(query.viewer);
        return kind === null
          ? make(viewer)
          : lists.of(channel, `${kind} ${count}`, () => make(viewerSlots)).fill({ viewer });
      },
      selectAll: (maxBytes: number) => {
        const rows = source(valuesOf(query.viewer));
        const page = isWhole ? Prisma.sql`SELECT e.*${positionColumn} ${rows}` : readable(rows);
        return pageUpTo(maxBytes, page, innerPosition);
      },
    };
    return readCounted(select, { run, limit: count, takeRows, channel });
  };
  return 'offset' in start ? read(null, start.offset, limit) : readBehind(rangesBehind(order.keys, start), limit, read);
}

/** Reads rows of one range after another, until there are enough. */
async function readBehind(
  ranges: Iterable<Prisma.Sql>,
  limit: number,
  read: (range: Prisma.Sql, offset: number, count: number) => Promise<PositionedRow[]>,
): Promise<PositionedRow[]> {
  const rows: PositionedRow[] = [];
  for (const range of ranges) {
    if (rows.length < limit) rows.push(...(await read(range, 0, limit - rows.length)));
  }
  return rows;
}

const lists = new Shapes<GivenViewer>();

/** Names everything that the text of a list's first page depends on besides the channel and its size; null if it has more. */
function listKind(query: EntryQuery): string | null {
  return query.isUsual && query.maxMilliseconds === null && hasOnePlan(query)
    ? viewerKind(query.viewer, query.channel)
    : null;
}

/** Finds the position of an entry in a list's order; null if it does not exist, or the viewer may not see it. */
export async function findPosition(
  this: ModelContext,
  { channel, viewer, order }: EntryQuery,
  id: string,
): Promise<readonly PositionValue[] | null> {
  const rows = await this.statements.readPrepared<{ position: PositionValue[] }>(Prisma.sql`
    SELECT ${positionSql(order.keys)} AS "position" FROM ${listSource(order, channel)}
    WHERE ${visibleEntries(channel, viewer)} AND ${hasName({ by: 'id', value: id })} LIMIT 1`);
  return rows[0]?.position ?? null;
}

/** Counts the matching entries that the viewer may see; stops at `limit`, or counts all if it is null. */
export async function countVisible(this: ModelContext, match: EntryMatch, limit: number | null): Promise<number> {
  const count = async (): Promise<TimedCount> => {
    const most = limit === null ? Prisma.empty : Prisma.sql`LIMIT ${literal(limit)}`;
    const where = matchSql(match, null, await beginWithGranted(this, match), valuesOf(match.viewer));
    // Planned for its values: a generic plan may read the whole table up to the limit.
    const counting = Prisma.sql`SELECT count(*)::int AS count FROM (SELECT 1 FROM entries e WHERE ${where} ${most}) AS matches`;
    const rows = await this.statements.read<Partial<TimedCount>>(withPeriod(match, counting));
    const [{ count: total = 0, from = null, until = null } = {}] = rows;
    return { count: total, from, until };
  };
  const counted = this.counts?.countOnce(match, limit, count);
  return withinTime(match, counted ?? count().then(({ count: total }) => total));
}

/**
 * Whether the viewer may see any entry of a channel, by the current data: it decides whether the caller may know of the
 * channel, and has to agree with a fetch.
 */
export async function hasVisible(this: ModelContext, match: EntryMatch): Promise<boolean> {
  const where = matchSql(match, null, await beginWithGranted(this, match), valuesOf(match.viewer));
  // The ORDER BY keeps PostgreSQL from scanning the table, in which the entries of a channel lie together.
  const statement = Prisma.sql`SELECT 1 FROM entries e WHERE ${where} ORDER BY e.created_at DESC LIMIT 1`;
  const rows = await withinTime(match, this.statements.read(statement));
  return rows.length > 0;
}

/**
 * Whether one plan is the best for all values of a list's statement: it has no filter and no search, reads one table,
 * and the viewer may read so much of the channel that an index in list order finds rows quickly. Where only granted or
 * owned entries are visible, one viewer may see half of them, and another one none.
 */
function hasOnePlan({ channel, viewer, predicate, search, order }: EntryQuery): boolean {
  const takesAll = search === null && 'and' in predicate && predicate.and.length === 0;
  return takesAll && order.ordered === null && readsByScope(viewer, channel);
}

/** Writes a number into the text of a statement: a generic plan would not know how few rows are needed. */
function literal(count: number): Prisma.Sql {
  if (!Number.isSafeInteger(count)) throw new Error(`${count} is not a number of rows`);
  // eslint-disable-next-line no-restricted-syntax -- an integer that was checked
  return Prisma.raw(String(count));
}

/**
 * Builds the condition of a list.
 * @param ordered the field in whose order the list is read from the side table, or null
 * @param granted the result of `beginWithGranted`
 * @param values as in `visibleEntries`
 */
function matchSql(
  match: EntryMatch,
  ordered: string | null,
  granted: readonly Prisma.Sql[],
  values: ViewerValues,
): Prisma.Sql {
  const { channel, viewer, predicate, search } = match;
  return andSql([
    ...timeLimit(match),
    visibleBy(channel, viewer, values),
    filterSql(predicate, match, ordered),
    ...(search === null ? [] : [searchCondition(channel, search)]),
    ...granted,
  ]);
}

/** Finds the slugs, of some, that entries of a channel have already. */
export async function findTakenSlugs(
  this: ModelContext,
  channel: Channel,
  slugs: readonly string[],
): Promise<Set<string>> {
  if (slugs.length === 0) return new Set();
  const rows = await this.statements.readPrepared<{ slug: string }>(Prisma.sql`
    SELECT e.slug FROM entries e WHERE ${channelEntries(channel)} AND e.slug = ANY(${[...slugs]}::text[]) LIMIT ${slugs.length}`);
  return new Set(rows.map(({ slug }) => slug));
}

/** Counts the entries of a publishable channel that publication hides from the public; stops at `limit`. */
export async function countHiddenFromPublic(
  this: ModelContext,
  channel: Channel,
  now: Date,
  limit: number,
): Promise<number> {
  const rows = await this.statements.readPrepared<{ count: number }>(Prisma.sql`
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM entries e WHERE ${channelEntries(channel)} AND ${hiddenFromPublic(now)} LIMIT ${limit}) AS hidden`);
  return rows[0]?.count ?? 0;
}
