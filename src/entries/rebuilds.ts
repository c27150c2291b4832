// Rebuilds what is derived from entries after their channel's fields changed, in the background. Each process rebuilds for the
// changes that it made, and from time to time what other processes left undone.
import { setTimeout as sleep } from 'node:timers/promises';
import { mayRetryTransaction, isUniqueViolation } from '../database/databaseErrors.ts';
import type { EntryClient } from './model.ts';
import { findOutdatedChannels, type DerivedEntry, type OutdatedEntry } from './outdated.ts';
import { searchedText } from '../search/text.ts';
import { entryTitle, givenValues, indexedFields, indexedValues, storedForm } from '../fields/stored.ts';
import type { Channel } from '../generated/prisma/client.ts';

/** How many entries one statement stores. */
const batchSize = 250;
/** How often a batch is tried while other transactions lock its entries. */
const maxBatchAttempts = 20;
/** How many milliseconds a change of fields waits for its entries; after that they are rebuilt in the background. */
const maxWaitMilliseconds = 10_000;
/** How many sites one statement looks through. */
const maxSitesPerLook = 1_000;
/** How soon after the start, and how often after that, the process looks for work that others left undone. */
const firstLookMilliseconds = 5_000;
const lookIntervalMilliseconds = 60_000;

export class Rebuilds {
  readonly #db: EntryClient;
  readonly #onError: (error: unknown) => void;
  readonly #underway = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout;
  #isClosed = false;

  /** @param onError is called with each error that kept a channel from being rebuilt; the channel is tried again later */
  constructor(db: EntryClient, onError: (error: unknown) => void) {
    this.#db = db;
    this.#onError = onError;
    this.#timer = setTimeout(() => void this.resume(), firstLookMilliseconds).unref();
  }

  /** Rebuilds a channel's entries for its fields; resolves when that is done, or after some seconds. */
  async rebuild(channel: Channel): Promise<void> {
    const waiting = new AbortController();
    await Promise.race([
      this.#start(channel),
      sleep(maxWaitMilliseconds, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
  }

  /** Rebuilds what other processes left undone, for instance because they died, and looks again later. */
  async resume(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const sites = await this.#db.site.findMany({ select: { id: true } });
      for (let at = 0; at < sites.length; at += maxSitesPerLook) {
        const ids = sites.slice(at, at + maxSitesPerLook).map(({ id }) => id);
        for (const channel of await findOutdatedChannels(this.#db, ids)) await this.#start(channel);
      }
    } catch (error) {
      if (!this.#isClosed) this.#onError(error);
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.resume(), lookIntervalMilliseconds).unref();
  }

  /** Stops; resolves when the batches under way are stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#underway.values());
  }

  #start(channel: Channel): Promise<void> {
    const key = `${channel.uid} ${channel.fieldsVersion}`;
    const running = this.#underway.get(key);
    if (running) return running;
    const run = this.#run(channel)
      .catch((error: unknown) => this.#onError(error))
      .finally(() => this.#underway.delete(key));
    this.#underway.set(key, run);
    return run;
  }

  async #run(channel: Channel): Promise<void> {
    let last: OutdatedEntry | null = null;
    for (;;) {
      if (this.#isClosed) return;
      const entries: OutdatedEntry[] = await this.#db.entry.findOutdated(channel, last, batchSize);
      last = entries.at(-1) ?? null;
      if (last === null) break;
      if (
        !(await this.#store(
          channel,
          entries.map((entry) => deriveEntry(entry, channel)),
        ))
      )
        return;
    }
    await this.#db.entry.markDerived(channel, indexedFields(channel));
  }

  /** Tries again after a lock timeout or a deadlock. */
  async #retryCollisions<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!mayRetryTransaction(error) || attempt === maxBatchAttempts || this.#isClosed) throw error;
        await sleep(Math.random() * 200 * attempt);
      }
    }
  }

  /** The new definitions may make two unique values equal: the first entry keeps the claim, later ones lose it. */
  async #store(channel: Channel, entries: readonly DerivedEntry[]): Promise<boolean> {
    try {
      return await this.#retryCollisions(() => this.#db.entry.storeDerived(channel, entries));
    } catch (error) {
      const [only] = entries;
      if (only === undefined || !isUniqueViolation(error)) throw error;
      if (entries.length === 1) return this.#db.entry.storeDerived(channel, [withoutClaims(only)]);
      for (const entry of entries) if (!(await this.#store(channel, [entry]))) return false;
      return true;
    }
  }
}

/** Derives an entry for its channel's fields. */
export function deriveEntry(entry: Omit<OutdatedEntry, 'createdAt'>, channel: Channel): DerivedEntry {
  const { data, kept } = storedForm(givenValues(entry), channel);
  const { id, version } = entry;
  return {
    ...{ id, version, data, kept },
    title: entryTitle(data, channel),
    indexed: indexedValues(data, channel),
    searched: searchedText(data, channel),
  };
}

function withoutClaims(entry: DerivedEntry): DerivedEntry {
  return { ...entry, indexed: entry.indexed.map((value) => ({ ...value, unique: false })) };
}
