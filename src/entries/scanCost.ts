// The cost of a list that no index serves: how often it looks into the values of entries, and how many bytes these have.
import type { FieldTest, Predicate, SortKey } from './condition.ts';
import { isServedByRange } from './sql/filterSql.ts';
import { channelEntries } from './sql/predicate.ts';
import type { ModelContext } from './modelContext.ts';
import { hasOutdatedEntries } from '../fields/compiled.ts';
import { Prisma, type Channel } from '../generated/prisma/client.ts';

/** A list's filter and its sort keys. */
export interface ScannedList {
  readonly channel: Channel;
  readonly predicate: Predicate;
  readonly sort: readonly SortKey[];
}

/** How often a list looks into the values of each entry of its channel, and of each entry that one refers to. */
export interface Scans {
  readonly own: number;
  /** The same with those that an index serves: the database makes copies of the values of each entry again that the index finds. */
  readonly all: number;
  readonly referred: readonly { readonly channel: Channel; readonly times: number }[];
}

/** Counts the looks that no index serves: each takes time in proportion to the length of the values. */
export function countScans({ channel, predicate, sort }: ScannedList): Scans {
  const sorted = sort.filter(({ field }) => field.member === null && !field.isIndexed).length;
  const { own, all, referred } = countTests(predicate, channel, false);
  return { own: own + sorted, all: all + sorted, referred };
}

/** @param isScanned whether no index serves the predicate, because it is below a negation or beside such a one in an OR */
function countTests(predicate: Predicate, channel: Channel, isScanned: boolean): Scans {
  const sum = (parts: readonly Predicate[], scanned: boolean): Scans => {
    const counts = parts.map((part) => countTests(part, channel, scanned));
    return {
      own: counts.reduce((total, { own }) => total + own, 0),
      all: counts.reduce((total, { all }) => total + all, 0),
      referred: counts.flatMap(({ referred }) => referred),
    };
  };
  if ('and' in predicate) return sum(predicate.and, isScanned);
  if ('or' in predicate) {
    const counted = sum(predicate.or, isScanned);
    // A scanned OR is not counted again: counting twice at each level of nested ones would take exponential time.
    return isScanned || counted.own === 0 ? counted : sum(predicate.or, true);
  }
  if ('not' in predicate) return countTests(predicate.not, channel, true);
  if ('named' in predicate) return { own: 0, all: 0, referred: [] };
  if ('through' in predicate) {
    const { own } = countTests(predicate.target, predicate.channel, true);
    return { own: 1, all: 1, referred: own > 0 ? [{ channel: predicate.channel, times: own }] : [] };
  }
  const looks = countLooks(predicate);
  if (!isServed(predicate, channel, isScanned)) return { own: looks, all: looks, referred: [] };
  return { own: 0, all: countLooksOfServed(predicate, looks), referred: [] };
}

/** The looks of a test that an index serves into each entry that it finds. */
function countLooksOfServed({ field, op, values }: FieldTest, looks: number): number {
  // The side table has the values of ranges.
  if (op !== 'eq' && op !== 'all') return 0;
  // `fieldEqualsAny` compares single values with one copy of the entry's. In a list each one is looked for from its beginning.
  const isSingle =
    field.kind !== 'list' && field.kind !== 'any' && values.flat().every((value) => typeof value !== 'object');
  return isSingle ? 1 : looks;
}

function countLooks({ field, values }: FieldTest): number {
  // A long title is read from the values; the other fixed members are short.
  const isLong = field.member === 'titleFieldValue' || field.member === 'acl';
  return field.member === null || isLong ? Math.max(values.flat().length, 1) : 0;
}

/** Whether an index serves a test. */
function isServed(test: FieldTest, channel: Channel, isScanned: boolean): boolean {
  const { field, op } = test;
  if (isServedByRange(test, { channel, isNegated: isScanned })) return true;
  const isContained = field.member === null && (op === 'eq' || op === 'all') && field.kind !== 'opaque';
  return isContained && !isScanned && !hasOutdatedEntries(channel);
}

/** How many entries a channel has, and how many bytes of values; hidden ones included, because a scan reads them. */
export interface ChannelSize {
  readonly entries: number;
  readonly bytes: number;
  /** How many bytes of values the largest one has. */
  readonly largest: number;
  /** How many bytes of values the 16 largest ones have together. */
  readonly sixteen: number;
}

/** In a larger channel only this many entries are added up: a statement that looks into more runs into its timeout. */
const maxMeasured = 100_000;

/** Measures a channel. */
export async function measureChannel(this: ModelContext, channel: Channel): Promise<ChannelSize> {
  const [size] = await this.statements.read<ChannelSize>(Prisma.sql`
    WITH measured AS (SELECT e.size FROM entries e WHERE ${channelEntries(channel)} LIMIT ${maxMeasured}),
      large AS (SELECT size FROM measured ORDER BY size DESC LIMIT 16)
    SELECT count(*)::float8 AS entries, coalesce(sum(size), 0)::float8 AS bytes, coalesce(max(size), 0)::float8 AS largest,
      (SELECT coalesce(sum(size), 0) FROM large)::float8 AS sixteen
    FROM measured`);
  return size ?? { entries: 0, bytes: 0, largest: 0, sixteen: 0 };
}
