// Loads the data of operations: the channel that an argument names, and the entries that other entries refer to. Each
// operation has a reference loader of its own, so that nothing is cached beyond it.
import { isDeepStrictEqual } from 'node:util';
import DataLoader from 'dataloader';
import type { Within, WriteContext } from './context.ts';
import type { EntryRow } from '../entries/row.ts';
import { fail } from '../base/errors.ts';
import { andThen, type PromiseOrValue } from '../base/promiseOrValue.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import { hasRules, narrowChannel, type FieldViewer } from '../fields/narrowed.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { Viewer } from '../rules/callers.ts';
import { isHandle } from '../rules/names.ts';
import type { ReferenceSource, WantedEntries } from '../serializers/entry.ts';

type EntryLoader = DataLoader<WantedEntries, readonly EntryRow[]>;

/** The rows of a channel that earlier batches showed a viewer, by id. */
interface SeenRows {
  readonly viewer: Viewer;
  /** `row` is absent if the viewer may not see the entry. */
  readonly rows: Map<string, { readonly row: EntryRow | undefined; readonly isWhole: boolean }>;
}

type LoaderContext = Pick<WriteContext, 'services' | 'site'> & Within<'budget'>;
type FoundChannel = PromiseOrValue<Channel | null>;
type FindChannel = (site: string, id: string) => FoundChannel;

/**
 * Loads entries for one viewer, each once unless the viewer's rights change: simultaneous requests by one statement for
 * each channel.
 */
export class ReferenceLoader implements ReferenceSource {
  readonly #context: LoaderContext;
  readonly #renewViewer: () => PromiseOrValue<Viewer>;
  readonly #targets = new Map<string, FoundChannel>();
  readonly #targetsNow = new Map<string, FoundChannel>();
  readonly #loaders = new Map<Channel, EntryLoader>();

  /** @param renewViewer gives the viewer with its present rights */
  constructor(context: LoaderContext, renewViewer: () => PromiseOrValue<Viewer>) {
    this.#context = context;
    this.#renewViewer = renewViewer;
  }

  findTarget({ channel }: Pick<FieldDefinition, 'channel'>): FoundChannel {
    const { directory } = this.#context.services;
    return this.#narrow(this.#findOnce(channel, this.#targets, (site, id) => directory.channel(site, id)));
  }

  findTargetNow({ channel }: Pick<FieldDefinition, 'channel'>): FoundChannel {
    const { directory } = this.#context.services;
    return this.#narrow(this.#findOnce(channel, this.#targetsNow, (site, id) => directory.channelNow(site, id)));
  }

  /** The channel as it exists for the viewer, with its present rights. */
  #narrow(found: FoundChannel): FoundChannel {
    return andThen(found, (channel) => {
      if (channel === null || !hasRules(channel.fields)) return channel;
      return andThen(this.#renewViewer(), (viewer) => narrowChannel(channel, viewer));
    });
  }

  load(channel: Channel, wanted: WantedEntries): Promise<readonly EntryRow[]> {
    // Each field asks for its entries only once (graphqlFields.ts): the loader itself need not remember them.
    const loader = this.#loaders.get(channel) ?? new DataLoader(this.#batchOf(channel), { cache: false });
    this.#loaders.set(channel, loader);
    return loader.load(wanted);
  }

  #batchOf(channel: Channel): (batch: readonly WantedEntries[]) => Promise<EntryRow[][]> {
    const { services, admission } = this.#context;
    let seen: SeenRows | undefined;
    return async (batch) => {
      const viewer = await this.#renewViewer();
      if (!seen || !isDeepStrictEqual(seen.viewer, viewer)) seen = { viewer, rows: new Map() };
      const { rows } = seen;
      const whole = new Set(batch.filter((each) => each.whole).flatMap((each) => each.ids));
      const ids = new Set(batch.flatMap((each) => each.ids));
      const missing = [...ids].filter((id) => !rows.has(id) || (whole.has(id) && rows.get(id)?.isWhole !== true));
      const wanted = missing.filter((id) => whole.has(id));
      const { takeRows } = admission.budget;
      const loaded = await services.db.entry.findVisibleByIds(channel, viewer, missing, wanted, takeRows);
      const rowOf = new Map(loaded.map((row) => [row.id, row]));
      for (const id of missing) rows.set(id, { row: rowOf.get(id), isWhole: whole.has(id) });
      return batch.map((each) => each.ids.flatMap((id) => rows.get(id)?.row ?? []));
    };
  }

  /** Finds the channel that a field refers to, once. */
  #findOnce(id: string | null, targets: Map<string, FoundChannel>, find: FindChannel): FoundChannel {
    if (id === null) return null;
    const known = targets.get(id);
    if (known !== undefined) return known;
    const target = find(this.#context.site, id);
    targets.set(id, target);
    return target;
  }
}

type ChannelLookup = Pick<WriteContext, 'site' | 'services'> & { readonly attempt?: number };

/**
 * Finds the channel with an id in the caller's site, as it exists for the viewer: with the fields that it may read.
 * @throws not_found
 */
export function findChannel(
  id: string,
  context: ChannelLookup & { readonly viewer: FieldViewer },
): PromiseOrValue<Channel> {
  return andThen(findWholeChannel(id, context), (channel) => narrowChannel(channel, context.viewer));
}

/**
 * Finds the channel with an id in the caller's site with all of its fields, for what manages and describes it: at the first
 * attempt in the cache, later past it, since the cached row may have been stale.
 * @throws not_found
 */
export function findWholeChannel(
  id: string,
  { site, services: { directory }, attempt = 0 }: ChannelLookup,
): PromiseOrValue<Channel> {
  if (!isHandle(id)) throwNoSuchChannel();
  const found = attempt === 0 ? directory.channel(site, id) : directory.channelNow(site, id);
  return andThen(found, (channel) => channel ?? throwNoSuchChannel());
}

/** Finds it past the cache, for operations that change it. @throws not_found */
export function findChannelNow(id: string, { site, services }: ChannelLookup): PromiseOrValue<Channel> {
  return findWholeChannel(id, { site, services, attempt: 1 });
}

/** @throws not_found always */
export function throwNoSuchChannel(): never {
  fail('not_found', 'There is no such channel.');
}
