// Loads what operations need: the channel that an argument names, and the entries that other entries refer to. Each operation
// has a reference loader of its own, so that nothing is cached beyond it.
import DataLoader from 'dataloader';
import type { WriteContext } from '../context.ts';
import type { EntryRow } from '../entries/row.ts';
import { fail } from '../errors.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { Viewer } from '../rules/callers.ts';
import { isHandle } from '../rules/names.ts';
import type { ReferenceSource, WantedEntries } from '../serializers/entry.ts';

type EntryLoader = DataLoader<WantedEntries, readonly EntryRow[]>;

/**
 * Loads entries for one viewer: those that are asked for at the same time, by one statement for each channel.
 * @param renewViewer gives the viewer with the rights that it has when entries are loaded
 */
export function createReferenceLoader(
  { db, directory, site, budget }: Pick<WriteContext, 'db' | 'site' | 'directory' | 'budget'>,
  renewViewer: () => Promise<Viewer>,
): ReferenceSource {
  const loaders = new Map<Channel, EntryLoader>();
  return {
    findTarget: rememberTargets((id) => directory.channel(site, id)),
    findTargetNow: rememberTargets((id) => directory.channelNow(site, id)),
    load: (channel, wanted) => {
      const known = loaders.get(channel);
      if (known) return known.load(wanted);
      const loadBatch = async (batch: readonly WantedEntries[]): Promise<EntryRow[][]> => {
        const ids = new Set(batch.flatMap((each) => each.ids));
        const whole = new Set(batch.filter((each) => each.whole).flatMap((each) => each.ids));
        const rows = await db.entry.findVisibleByIds(
          channel,
          await renewViewer(),
          [...ids],
          [...whole],
          budget.takeRows,
        );
        const found = new Map(rows.map((row) => [row.id, row]));
        return batch.map((each) => each.ids.flatMap((id) => found.get(id) ?? []));
      };
      // Each field asks for its entries only once (graphqlFields.ts), so nothing has to be cached beyond the batch.
      const loader: EntryLoader = new DataLoader(loadBatch, { cache: false });
      loaders.set(channel, loader);
      return loader.load(wanted);
    },
  };
}

/** Finds the channels that fields refer to, each once. */
function rememberTargets(find: (id: string) => Promise<Channel | null>): ReferenceSource['findTarget'] {
  const targets = new Map<string, Promise<Channel | null>>();
  return ({ channel: id }) => {
    if (id === null) return Promise.resolve(null);
    const target = targets.get(id) ?? find(id);
    targets.set(id, target);
    return target;
  };
}

type ChannelLookup = Pick<WriteContext, 'site' | 'directory'> & { readonly attempt?: number };

/**
 * Finds the channel with an id in the caller's site: in the cache at the first attempt; past the cache at later
 * attempts, since the cached row may have been stale.
 * @throws not_found
 */
export async function findChannel(id: string, { site, directory, attempt = 0 }: ChannelLookup): Promise<Channel> {
  if (!isHandle(id)) throwNoSuchChannel();
  const channel = await (attempt === 0 ? directory.channel(site, id) : directory.channelNow(site, id));
  return channel ?? throwNoSuchChannel();
}

/** @throws not_found always */
export function throwNoSuchChannel(): never {
  fail('not_found', 'There is no such channel.');
}
