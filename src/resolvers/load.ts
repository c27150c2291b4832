// Loads what operations need: the channel that an argument names, and the entries that other entries refer to. Each operation
// has a reference loader of its own, so that nothing is cached beyond it.
import { isDeepStrictEqual } from 'node:util';
import DataLoader from 'dataloader';
import type { WriteContext } from './context.ts';
import type { EntryRow } from '../entries/row.ts';
import { fail } from '../base/errors.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { Viewer } from '../rules/callers.ts';
import { isHandle } from '../rules/names.ts';
import type { ReferenceSource, WantedEntries } from '../serializers/entry.ts';

type EntryLoader = DataLoader<WantedEntries, readonly EntryRow[]>;

/** What a viewer was shown of a channel by earlier batches, by id. */
interface SeenRows {
  readonly viewer: Viewer;
  /** `row` is absent where the viewer may not see the entry. */
  readonly rows: Map<string, { readonly row: EntryRow | undefined; readonly isWhole: boolean }>;
}

/**
 * Loads entries for one viewer, each once unless the viewer's rights change: those that are asked for at the same time, by one statement for each channel.
 * @param renewViewer gives the viewer with the rights that it has when entries are loaded
 */
export function createReferenceLoader(
  { services: { db, directory }, site, admission: { budget } }: Pick<WriteContext, 'services' | 'site' | 'admission'>,
  renewViewer: () => Promise<Viewer>,
): ReferenceSource {
  const loaders = new Map<Channel, EntryLoader>();
  return {
    findTarget: rememberTargets((id) => directory.channel(site, id)),
    findTargetNow: rememberTargets((id) => directory.channelNow(site, id)),
    load: (channel, wanted) => {
      const known = loaders.get(channel);
      if (known) return known.load(wanted);
      let seen: SeenRows | undefined;
      const loadBatch = async (batch: readonly WantedEntries[]): Promise<EntryRow[][]> => {
        const viewer = await renewViewer();
        if (!seen || !isDeepStrictEqual(seen.viewer, viewer)) seen = { viewer, rows: new Map() };
        const { rows } = seen;
        const whole = new Set(batch.filter((each) => each.whole).flatMap((each) => each.ids));
        const isKnown = (id: string): boolean => rows.get(id)?.isWhole ?? false;
        const ids = new Set(batch.flatMap((each) => each.ids));
        const missing = [...ids].filter((id) => !rows.has(id) || (whole.has(id) && !isKnown(id)));
        const wanted = missing.filter((id) => whole.has(id));
        const loaded = await db.entry.findVisibleByIds(channel, viewer, missing, wanted, budget.takeRows);
        const found = new Map(loaded.map((row) => [row.id, row]));
        for (const id of missing) rows.set(id, { row: found.get(id), isWhole: whole.has(id) });
        return batch.map((each) => each.ids.flatMap((id) => rows.get(id)?.row ?? []));
      };
      // Each field asks for its entries only once (graphqlFields.ts): the loader itself need not remember them.
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

type ChannelLookup = Pick<WriteContext, 'site' | 'services'> & { readonly attempt?: number };

/**
 * Finds the channel with an id in the caller's site: in the cache at the first attempt; past the cache at later
 * attempts, since the cached row may have been stale.
 * @throws not_found
 */
export async function findChannel(
  id: string,
  { site, services: { directory }, attempt = 0 }: ChannelLookup,
): Promise<Channel> {
  if (!isHandle(id)) throwNoSuchChannel();
  const channel = await (attempt === 0 ? directory.channel(site, id) : directory.channelNow(site, id));
  return channel ?? throwNoSuchChannel();
}

/** The same past the cache, for operations that change it. @throws not_found */
export function findChannelNow(id: string, { site, services: { directory } }: ChannelLookup): Promise<Channel> {
  return findChannel(id, { site, directory, attempt: 1 });
}

/** @throws not_found always */
export function throwNoSuchChannel(): never {
  fail('not_found', 'There is no such channel.');
}
