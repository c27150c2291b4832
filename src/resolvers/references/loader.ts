// Entries that other entries refer to, loaded for a reader: those that are asked for at once by one statement for each
// channel. What was loaded is kept for the request and the way of reading alone.
import DataLoader from 'dataloader';
import type { WriteContext } from '../../context.ts';
import type { EntryRow } from '../../entries/members.ts';
import { findTargets } from '../../entries/referenceSql.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { isHandle } from '../../inputs/handle.ts';
import { viewerOf } from '../../rules/visibility.ts';

/** An entry, and how much of it is wanted: all, or its names and title. */
interface Wanted {
  readonly id: string;
  readonly whole: boolean;
}

type Loader = DataLoader<Wanted, EntryRow | null, string>;

/** The targets of one request. */
export class Targets {
  readonly #context: WriteContext;
  readonly #channels = new Map<string, Promise<Channel | null>>();
  readonly #loaders = new Map<string, Loader>();

  constructor(context: WriteContext) {
    this.#context = context;
  }

  /** The channel of the caller's site that a field refers to; null where it was deleted. */
  channelOf({ channel }: Pick<FieldDefinition, 'channel'>): Promise<Channel | null> {
    const id = channel ?? '';
    const known = this.#channels.get(id);
    if (known) return known;
    const { directory, site } = this.#context;
    const found = isHandle(id) ? directory.channel(site, id) : Promise.resolve(null);
    this.#channels.set(id, found);
    return found;
  }

  /** An entry of a channel, null where the caller may not see it. @param useAcl as whoever refers to it was read */
  load(channel: Channel, useAcl: boolean, wanted: Wanted): Promise<EntryRow | null> {
    return this.#loaderOf(channel, useAcl).load(wanted);
  }

  #loaderOf(channel: Channel, useAcl: boolean): Loader {
    const key = JSON.stringify([channel.uid, useAcl]);
    const known = this.#loaders.get(key);
    if (known) return known;
    const loader: Loader = new DataLoader((wanted) => this.#find(channel, useAcl, wanted), {
      cacheKeyFn: ({ id, whole }) => `${id} ${whole}`,
    });
    this.#loaders.set(key, loader);
    return loader;
  }

  async #find(channel: Channel, useAcl: boolean, wanted: readonly Wanted[]): Promise<(EntryRow | null)[]> {
    const ids = new Set(wanted.map(({ id }) => id));
    const whole = wanted.filter((each) => each.whole).map(({ id }) => id);
    const viewer = viewerOf(this.#context, useAcl);
    const rows = await findTargets(this.#context.db, channel, viewer, [...ids], whole);
    const found = new Map(rows.map((row) => [row.id, row]));
    return wanted.map(({ id }) => found.get(id) ?? null);
  }
}

const byRequest = new WeakMap<WriteContext, Targets>();

/** The targets of a request. */
export function targetsOf(context: WriteContext): Targets {
  const targets = byRequest.get(context) ?? new Targets(context);
  byRequest.set(context, targets);
  return targets;
}

/** Forgets what was loaded for a request: a mutation changes what the next one reads. */
export function forgetTargets(context: WriteContext): void {
  byRequest.delete(context);
}
