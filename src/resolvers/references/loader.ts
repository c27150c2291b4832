// Loads the entries that other entries refer to, for one viewer: references that are asked for at once are loaded by one
// statement per channel. An operation has a loader of its own, so that nothing loaded outlives it.
import DataLoader from 'dataloader';
import type { WriteContext } from '../../context.ts';
import type { EntryRow } from '../../entries/members.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { isHandle } from '../../inputs/handle.ts';
import type { Viewer } from '../../rules/visibility.ts';
import type { ReferenceSource, WantedEntry } from '../../serializers/entry.ts';

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
