// Loading what an operation is about: the channel that an argument names, and the entries that other entries refer to. An
// operation has a reference loader of its own, so that nothing loaded outlives it.
import DataLoader from 'dataloader';
import type { WriteContext, Channels } from '../context.ts';
import type { EntryRow } from '../entries/members.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { isHandle } from '../rules/names.ts';
import type { Viewer } from '../rules/callers.ts';
import type { ReferenceSource, WantedEntry } from '../serializers/entry.ts';
import { fail } from '../errors.ts';

type EntryLoader = DataLoader<WantedEntry, EntryRow | null, string>;

export class ReferenceLoader implements ReferenceSource {
  readonly #context: Pick<WriteContext, 'db' | 'site' | 'directory'>;
  readonly #viewer: Viewer;
  readonly #channels = new Map<string, Promise<Channel | null>>();
  readonly #loaders = new Map<string, EntryLoader>();

  constructor(context: Pick<WriteContext, 'db' | 'site' | 'directory'>, viewer: Viewer) {
    this.#context = context;
    this.#viewer = viewer;
  }

  findChannel({ channel }: Pick<FieldDefinition, 'channel'>): Promise<Channel | null> {
    const id = channel ?? '';
    const known = this.#channels.get(id);
    if (known) return known;
    const { directory, site } = this.#context;
    const found = isHandle(id) ? directory.channel(site, id) : Promise.resolve(null);
    this.#channels.set(id, found);
    return found;
  }

  load(channel: Channel, wanted: WantedEntry): Promise<EntryRow | null> {
    const loader = this.#loaders.get(channel.uid) ?? this.#addLoader(channel);
    return loader.load(wanted);
  }

  #addLoader(channel: Channel): EntryLoader {
    const loader: EntryLoader = new DataLoader((wanted) => this.#findAll(channel, wanted), {
      cacheKeyFn: ({ id, whole }) => `${id} ${whole}`,
    });
    this.#loaders.set(channel.uid, loader);
    return loader;
  }

  async #findAll(channel: Channel, wanted: readonly WantedEntry[]): Promise<(EntryRow | null)[]> {
    const ids = new Set(wanted.map(({ id }) => id));
    const whole = wanted.filter((each) => each.whole).map(({ id }) => id);
    const rows = await this.#context.db.entry.findVisibleByIds(channel, this.#viewer, [...ids], whole);
    const found = new Map(rows.map((row) => [row.id, row]));
    return wanted.map(({ id }) => found.get(id) ?? null);
  }
}

type ChannelLookup = Pick<WriteContext, 'site'> & { readonly directory: Channels; readonly attempt?: number };

/**
 * The channel of an id in the caller's site: the cached one or, once an operation found it stale, the stored one.
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
