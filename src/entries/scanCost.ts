// The cost of a list that no index serves: the number of reads of entries' values, and their size in bytes.
import type { FieldTest, Predicate, SortKey } from './condition.ts';
import { isServedByRange } from './sql/filterSql.ts';
import { readableSize } from './sql/memberSql.ts';
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

/** The reads that a list needs of the values of each entry. */
export interface Scans {
  /** The number of reads of each entry of the channel, without an index. */
  readonly own: number;
  /**
   * As `own`, and the reads of tests that an index serves: the database compares the values of each entry that the index
   * returns.
   */
  readonly all: number;
  /** The number of reads of each entry of another channel, which references lead to. */
  readonly referred: readonly { readonly channel: Channel; readonly times: number }[];
}

/** Counts the reads that no index serves: each takes time in proportion to the length of the values. */
export function countScans({ channel, predicate, sort }: ScannedList): Scans {
  const sorted = sort.filter(({ field }) => field.member === null && !field.isIndexed).length;
  const { own, all, referred } = countTests(predicate, channel, false);
  return { own: own + sorted, all: all + sorted, referred };
}

/**
 * @param isScanned whether no index serves the predicate, because it is below a negation, or in an OR with a predicate
 *   that no index serves
 */
function countTests(predicate: Predicate, channel: Channel, isScanned: boolean): Scans {
  const sum = (operands: readonly Predicate[], scanned: boolean): Scans => {
    const counts = operands.map((operand) => countTests(operand, channel, scanned));
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
  const reads = countReads(predicate);
  if (!isServed(predicate, channel, isScanned)) return { own: reads, all: reads, referred: [] };
  return { own: 0, all: countServedReads(predicate, reads), referred: [] };
}

/** Counts the reads of an entry's values for a test that an index serves. */
function countServedReads({ field, op, values }: FieldTest, reads: number): number {
  // The side table has the values of ranges.
  if (op !== 'eq' && op !== 'all') return 0;
  // `fieldEqualsAny` compares single values with one copy of the entry's. A list is searched from its beginning for
  // each value.
  const isSingle =
    field.kind !== 'list' && field.kind !== 'any' && values.flat().every((value) => typeof value !== 'object');
  return isSingle ? 1 : reads;
}

function countReads({ field, values }: FieldTest): number {
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

/**
 * The number of entries of a channel, and the bytes of their values: hidden entries included, because a scan reads them, and
 * without the fields that the channel's caller may not read, whose size must not decide its refusals.
 */
export interface ChannelSize {
  readonly entries: number;
  readonly bytes: number;
  /** Bytes of the largest values. */
  readonly largest: number;
  /** Bytes of the 16 largest values together. */
  readonly sixteen: number;
}

/** Number of entries to measure in a larger channel: a statement that reads more runs into its timeout. */
const maxMeasured = 100_000;

/** Measures a channel. */
export async function measureChannel(this: ModelContext, channel: Channel): Promise<ChannelSize> {
  const [size] = await this.statements.read<ChannelSize>(Prisma.sql`
    WITH measured AS (SELECT ${readableSize(channel)} AS size FROM entries e WHERE ${channelEntries(channel)} LIMIT ${maxMeasured}),
      large AS (SELECT size FROM measured ORDER BY size DESC LIMIT 16)
    SELECT count(*)::float8 AS entries, coalesce(sum(size), 0)::float8 AS bytes, coalesce(max(size), 0)::float8 AS largest,
      (SELECT coalesce(sum(size), 0) FROM large)::float8 AS sixteen
    FROM measured`);
  return size ?? { entries: 0, bytes: 0, largest: 0, sixteen: 0 };
}
