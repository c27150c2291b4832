// Refuses a list that would read the values of too many entries without an index.
import { LRUCache } from 'lru-cache';
import type { EntryModel } from '../../entries/model.ts';
import { countScans, type ChannelSize, type ScannedList } from '../../entries/scanCost.ts';
import { fail } from '../../base/errors.ts';
import type { PromiseOrValue } from '../../base/promiseOrValue.ts';
import { SingleFlight } from '../../base/singleFlight.ts';
import { narrowingOf } from '../../fields/narrowed.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import type { OperationContext } from '../operation.ts';

/** The sizes of channels, by uid and by what their callers may read, at most 10 seconds old: adding them up is slow. */
const sizes = new SingleFlight<ChannelSize>({
  kept: new LRUCache({ max: 1_000, ttl: 10_000 }),
  sharesFailure: () => false,
});

/** The number of comparisons with an index that are admitted without reading the channel's size. */
const fewLooks = 16;

/**
 * Refuses a list whose cost exceeds the limit: the number of its comparisons without an index, times the bytes that
 * they read. Also refuses one that compares too much, with or without an index, with the largest entries, which the
 * index may find: with the largest one on the embedded database, which checks the clock between two, else with 16 of
 * them. The refusals give the sizes of channels only roughly, because these include hidden entries.
 * @returns whether the same comparisons are too many with all entries: if the database ends such a list, a retry cannot
 *   help
 * @throws too_complex
 */
export function refuseLongScan(
  list: ScannedList,
  context: Pick<OperationContext, 'services' | 'admission'>,
): PromiseOrValue<boolean> {
  const scans = countScans(list);
  return scans.own === 0 && scans.all <= fewLooks ? false : measureScan(list, scans, context);
}

/** Measures a list that compares often. @returns as `refuseLongScan` @throws as `refuseLongScan` */
async function measureScan(
  list: ScannedList,
  { own, all, referred }: ReturnType<typeof countScans>,
  { services: { db }, admission: { limits } }: Pick<OperationContext, 'services' | 'admission'>,
): Promise<boolean> {
  const size = await measure(list.channel, db.entry);
  const largest = limits.scanTime === null ? 'sixteen' : 'largest';
  let referredCost = 0;
  let costOfLargest = all * roughly(size[largest]);
  for (const { channel, times } of referred) {
    const target = await measure(channel, db.entry);
    // Each entry is assumed to refer to one of the usual size.
    referredCost += times * roughly(size.entries * (target.bytes / Math.max(target.entries, 1)));
    costOfLargest += times * roughly(target[largest]);
  }
  if (own * roughly(size.bytes) + referredCost > limits.scan) {
    fail(
      'too_complex',
      'The filter and the order look too often into the values of entries without an index, for a channel of this size. ' +
        'Declare the fields as indexed, or use fewer comparisons and values.',
    );
  }
  if (costOfLargest > limits.scanOfLargest) {
    fail(
      'too_complex',
      'The filter and the order compare too many values with entries as large as the largest ones of this channel. ' +
        'Use fewer comparisons and values.',
    );
  }
  return all * roughly(size.bytes) + referredCost > limits.scanOfLargest;
}

/** The next power of two. */
function roughly(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(bytes, 1)));
}

/** The size of a channel. */
function measure(channel: Channel, entry: EntryModel): Promise<ChannelSize> {
  const narrowing = narrowingOf(channel.fields);
  const key = narrowing === undefined ? channel.uid : `${channel.uid} ${channel.version} ${narrowing.key}`;
  return sizes.run(key, () => entry.measureChannel(channel));
}
