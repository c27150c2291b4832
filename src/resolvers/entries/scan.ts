// Refuses a list that would look into the values of too many entries without an index.
import { LRUCache } from 'lru-cache';
import type { EntryModel } from '../../entries/model.ts';
import { countScans, type ScannedList } from '../../entries/scanCost.ts';
import { fail } from '../../errors.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import type { OperationContext } from '../perform.ts';

/** The sizes of channels, by uid, as they were at most 10 seconds ago: to add them up takes time. */
const sizes = new LRUCache<string, number, { entry: EntryModel; channel: Channel }>({
  max: 1_000,
  ttl: 10_000,
  fetchMethod: (_uid, _stale, { context: { entry, channel } }) => entry.measureChannel(channel),
});

/**
 * Refuses a list whose cost, the number of its comparisons that no index serves times the bytes of the channel's entries, is
 * over the limit. The refusal tells the channel's size only roughly, because hidden entries are a part of it.
 * @throws too_complex
 */
export async function refuseLongScan(
  list: ScannedList,
  { db, limits }: Pick<OperationContext, 'db' | 'limits'>,
): Promise<void> {
  const scans = countScans(list);
  if (scans === 0) return;
  const { channel } = list;
  const bytes = await sizes.forceFetch(channel.uid, { context: { entry: db.entry, channel } });
  const rough = 2 ** Math.ceil(Math.log2(Math.max(bytes, 1)));
  if (scans * rough <= limits.scan) return;
  fail(
    'too_complex',
    `The filter and the order look ${scans} times into the values of each entry without an index, which is too much for a ` +
      'channel of this size. Declare the fields as indexed, or use fewer comparisons.',
  );
}
