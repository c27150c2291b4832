// Keeps a file equal to what a token sees: lists all entries first, and follows the feed of changes from then on
// (docs/changes.md).
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../terminal/refusal.ts';
import type { ApiClient } from '../service/apiClient.ts';
import type { RemoteEntry } from '../service/remoteEntries.ts';
import type { MirrorFile } from './mirrorFile.ts';
import type { MirrorPlace } from './mirrorState.ts';
import { Patch, type References } from './patch.ts';
import {
  hiddenForm,
  isSeen,
  listRemoteEntries,
  listReferring,
  readChanges,
  readEnd,
  readForms,
  type ChannelForm,
  type FeedPage,
  type RemoteChange,
} from './remote.ts';

interface FollowerOptions {
  readonly client: ApiClient;
  readonly mirror: MirrorFile;
  /** null: all channels that the service lists. */
  readonly channels: readonly string[] | null;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** The channels that changes told of, and those of them that were deleted and may be there again. */
interface ChannelChanges {
  readonly told: Set<string>;
  readonly remade: Set<string>;
}

const noChannels: ChannelChanges = { told: new Set(), remade: new Set() };

/** How many changed entries are collected before they are written. */
const maxCollected = 10_000;
/** How long to wait for changes if the service does not; and how often to look at the channels. In milliseconds, as below. */
const pollInterval = 2_000;
const fieldsInterval = 10_000;
/** A large file is not written all the time: this long it rests at most. */
const maxRest = 10_000;
/** How long a cursor that only moves is kept in memory: to write each one down would be a write for each poll. */
const advanceInterval = 60_000;

export class Follower {
  readonly #options: FollowerOptions;
  #cursor = '';
  #lookedAt = 0;
  #savedAt = 0;
  #hasWaited = false;
  /** How long the last writing of the file took. */
  #writing = 0;
  /** How many changes were applied. */
  changes = 0;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Brings the file up to where the feed ends. @throws {Refusal} where the service or the file system refuses */
  async catchUp(): Promise<void> {
    const { mirror } = this.#options;
    if (mirror.place === null) await this.#startOver();
    this.#cursor = this.#place.cursor;
    while (await this.#step(0));
    await this.#look(noChannels);
    await this.#save();
  }

  /** Follows the feed until the signal is aborted. @throws {Refusal} where the service or the file system refuses */
  async follow(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      // The service is not to hold the answer for longer than until the next look at the channels.
      const untilLook = this.#lookedAt + fieldsInterval - performance.now();
      const hasMore = await this.#step(Math.max(1, Math.ceil(untilLook / 1_000)));
      if (performance.now() - this.#lookedAt > fieldsInterval) await this.#look(noChannels);
      const pause = Math.max(this.#hasWaited ? 0 : pollInterval, Math.min(maxRest, 4 * this.#writing));
      if (!hasMore) await sleep(pause, undefined, { signal });
    }
  }

  /** Notes how far the file goes. */
  async stop(): Promise<void> {
    if (this.#options.mirror.place !== null && this.#cursor !== '') await this.#save();
  }

  get #place(): MirrorPlace {
    const { place } = this.#options.mirror;
    if (place === null) throw new Error('The file was not listed yet.');
    return place;
  }

  /** The reference fields of the channels. */
  get #references(): References {
    const channels = Object.entries(this.#place.channels);
    return new Map(channels.map(([id, { references }]) => [id, new Map(Object.entries(references))]));
  }

  /** Lists all entries. The cursor is taken first: what changes meanwhile is behind it. */
  async #startOver(): Promise<void> {
    const { client, mirror, channels } = this.#options;
    const cursor = await readEnd(client);
    const forms = await readForms(client, channels, []);
    const absent = [...forms].find(([, { form }]) => form === 'absent');
    if (mirror.place === null && absent) throw new Refusal(`There is no channel "${absent[0]}".`);
    await mirror.rewrite(
      { change: () => null, add: () => this.#list([...forms.keys()]) },
      { cursor, channels: Object.fromEntries(forms) },
    );
    this.#cursor = cursor;
    this.#lookedAt = performance.now();
  }

  async *#list(channels: readonly string[]): AsyncGenerator<RemoteEntry> {
    for (const channel of channels)
      for await (const page of listRemoteEntries(this.#options.client, channel)) yield* page;
  }

  /** Reads and applies changes. @param wait for how many seconds the service is to wait for some @returns whether there are more */
  async #step(wait: number): Promise<boolean> {
    const { client, say } = this.#options;
    const patch = new Patch();
    const channels: ChannelChanges = { told: new Set(), remade: new Set() };
    let cursor = this.#cursor;
    let page: FeedPage | null;
    do {
      page = await readChanges(client, cursor, patch.size === 0 ? wait : 0);
      if (page === null) {
        say('The changes since the last time are not kept any more: all entries are listed again.');
        await this.#startOver();
        return true;
      }
      for (const change of page.changes) this.#take(change, patch, channels);
      this.changes += page.changes.length;
      cursor = page.cursor;
    } while (page.more && patch.size < maxCollected);
    this.#hasWaited = page.hasWaited;
    if (channels.told.size > 0) await this.#look(channels);
    await this.#apply(patch, cursor);
    return page.more;
  }

  #take({ type, channel, id, entry }: RemoteChange, patch: Patch, { told, remade }: ChannelChanges): void {
    const isKnown = Object.hasOwn(this.#place.channels, channel);
    if (type.startsWith('channel.') || (!isKnown && this.#options.channels === null)) told.add(channel);
    if (type === 'channel.deleted' || type === 'channel.removed') {
      remade.add(channel);
      patch.forgetChannel(channel);
    }
    if (id !== null) patch.set(channel, id, entry);
  }

  /** Writes what changed, with those entries that show something of it. */
  async #apply(patch: Patch, cursor: string): Promise<void> {
    const { mirror } = this.#options;
    this.#writing = 0;
    if (patch.size > 0) {
      const references = this.#references;
      await this.#findReferring(patch, references);
      const startedAt = performance.now();
      const { channels } = this.#place;
      const isOurs = ({ channel }: RemoteEntry): boolean => Object.hasOwn(channels, String(channel));
      const change = (entry: RemoteEntry): RemoteEntry | null => patch.change(entry, references);
      const add = (ids: ReadonlySet<string>): RemoteEntry[] => [...patch.without(ids, references)].filter(isOurs);
      await mirror.rewrite({ change, add }, { channels, cursor });
      this.#savedAt = performance.now();
      this.#writing = this.#savedAt - startedAt;
    }
    this.#cursor = cursor;
    if (performance.now() - this.#savedAt > advanceInterval) await this.#save();
  }

  /**
   * Fetches the entries that refer to what changed: they show its title, and whether it is seen. The fields of a channel that
   * is not listed are not known, so that any of its entries may refer to it; and no other channel tells which of its fields
   * refer to that one, so that each field which may is looked up.
   */
  async #findReferring(patch: Patch, references: References): Promise<void> {
    const { client, say } = this.#options;
    const seen = patch.seen();
    const forms = Object.entries(this.#place.channels);
    const unlisted = forms.flatMap(([id, { form }]) => (form === hiddenForm ? [id] : []));
    for await (const entry of this.#list(unlisted)) patch.set(String(entry['channel']), String(entry['id']), entry);
    for (const [channel, fields] of references) {
      for (const [field, target] of fields) {
        const ids = target === null ? [...seen.values()].flat() : (seen.get(target) ?? []);
        if (ids.length === 0) continue;
        const referring = listReferring(client, { channel, field, ids }, say);
        for await (const entry of referring) patch.set(channel, String(entry['id']), entry);
      }
    }
  }

  /** Lists again the channels whose entries show something else than before, and those that refer to them. */
  async #look({ told, remade }: ChannelChanges): Promise<void> {
    const { client, mirror, channels: wanted } = this.#options;
    const { channels: before, cursor } = this.#place;
    const forms = await readForms(client, wanted, Object.keys(before));
    const ids = new Set<string>();
    for (const [id, form] of forms) {
      const isSame = form.form === (before[id]?.form ?? 'absent') && !remade.has(id);
      if (!isSame || !(await this.#isStillThere(id, form))) ids.add(id);
    }
    const changed = new Set([...ids, ...[...told].filter((id) => !forms.has(id))]);
    for (const [id, { form, references }] of forms) {
      const targets = Object.values(references);
      const mayReferToAny = form === hiddenForm || targets.includes(null);
      if ([...changed].some((target) => mayReferToAny || targets.includes(target))) ids.add(id);
    }
    this.#lookedAt = performance.now();
    if (ids.size === 0) return;
    const there = [...forms].filter(([, { form }]) => wanted !== null || form !== 'absent');
    const change = (entry: RemoteEntry): RemoteEntry | null => (ids.has(String(entry['channel'])) ? null : entry);
    const listed = [...ids].filter((id) => forms.get(id)?.form !== 'absent');
    // The cursor stays: what was read behind it is not written yet.
    await mirror.rewrite({ change, add: () => this.#list(listed) }, { cursor, channels: Object.fromEntries(there) });
  }

  /**
   * Whether a channel is the one that the file has entries of. A public token that saw no entry of a channel when it was deleted and
   * made again is not told so, but the oldest entry in the file is gone then.
   */
  async #isStillThere(id: string, { isTold }: ChannelForm): Promise<boolean> {
    const { client, mirror } = this.#options;
    const first = mirror.first(id);
    return isTold || first === undefined || isSeen(client, id, first);
  }

  async #save(): Promise<void> {
    await this.#options.mirror.advance({ ...this.#place, cursor: this.#cursor });
    this.#savedAt = performance.now();
  }
}
