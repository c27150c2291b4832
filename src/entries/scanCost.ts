// What a list costs that no index serves: how often it looks into the values of an entry, and how many bytes of values the
// entries of the channel have together.
import type { Predicate, SortKey } from './condition.ts';
import { isServedByRange } from './filterSql.ts';
import { channelEntries } from './predicate.ts';
import type { ModelContext } from './read.ts';
import { hasOutdatedEntries } from '../fields/compiled.ts';
import type { Channel } from '../generated/prisma/client.ts';

/** A list's filter and its sort keys. */
export interface ScannedList {
  readonly channel: Channel;
  readonly predicate: Predicate;
  readonly sort: readonly SortKey[];
}

/** How often a list looks into the values of each entry of its channel: each time takes time by their length. */
export function countScans({ channel, predicate, sort }: ScannedList): number {
  const sorted = sort.filter(({ field }) => field.member === null && !field.isIndexed);
  return sorted.length + countTests(predicate, channel, false);
}

/** @param isNegated whether the predicate is below a negation, where no index serves it */
function countTests(predicate: Predicate, channel: Channel, isNegated: boolean): number {
  const sum = (parts: readonly Predicate[]): number =>
    parts.reduce((total, part) => total + countTests(part, channel, isNegated), 0);
  if ('and' in predicate) return sum(predicate.and);
  if ('or' in predicate) return sum(predicate.or);
  if ('not' in predicate) return countTests(predicate.not, channel, true);
  if ('named' in predicate) return 0;
  // What the reference leads to is looked up for each entry, by no more than its id.
  if ('through' in predicate) return 1 + countTests(predicate.target, predicate.channel, true);
  const { field, op, values } = predicate;
  if (field.member !== null || isServedByRange(predicate, { channel, isNegated })) return 0;
  const isContained = (op === 'eq' || op === 'all') && field.kind !== 'opaque';
  if (isContained && !isNegated && !hasOutdatedEntries(channel)) return 0;
  return Math.max(values.flat().length, 1);
}

/** Of a larger channel only so many entries are added up: a statement that looks into more ends by its time limit. */
const maxMeasured = 100_000;

/** How many bytes of values the entries of a channel have together; hidden ones too, because a scan meets them. */
export async function measureChannel(this: ModelContext, channel: Channel): Promise<number> {
  const [sum] = await this.$parent.$queryRaw<{ bytes: number | null }[]>`
    SELECT sum(measured.size)::float8 AS bytes
    FROM (SELECT e.size FROM entries e WHERE ${channelEntries(channel)} LIMIT ${maxMeasured}) AS measured`;
  return sum?.bytes ?? 0;
}
