// Rebuilds outdated entries in the background, after their channel's fields changed. Each process rebuilds the channels
// that it changed. The leader scans once a minute for channels that other processes did not finish; the others scan
// much more rarely, in case the leader is stuck.
import { setTimeout as sleep } from 'node:timers/promises';
import { mayRetryTransaction, isUniqueViolation } from '../../database/databaseErrors.ts';
import { nextTurn } from '../../base/eventLoop.ts';
import { Poller } from '../../base/poller.ts';
import { takeFreely } from '../../fields/patterns.ts';
import { entryTitle, originalValues, indexedFields, indexedValues, storedForm } from '../../fields/stored.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { searchedText } from '../../search/text.ts';
import type { RebuildState } from '../../telemetry/gauges.ts';
import type { EntryClient } from '../../entries/model.ts';
import { findOutdatedChannels, type DerivedEntry, type OutdatedEntry } from '../../entries/redefinition/outdated.ts';

/** The number of entries that one statement may store. */
const batchSize = 250;
/** The number of times that a batch is tried while other transactions lock its entries. */
const maxBatchAttempts = 20;
/**
 * The time that a change of fields waits for the rebuild of its entries; then the rebuild goes on in the background.
 */
const maxWaitMilliseconds = 10_000;
/** The time until the first scan for rebuilds that others did not finish and, below, the interval of later ones. */
const firstLookMilliseconds = 5_000;
const lookIntervalMilliseconds = 60_000;

/** The number of this work (src/database/embedded/alone.ts). */
const rebuildLock = 1_701_737_586;

/** Runs some work unless another process runs work with the same number. */
type RunAlone = (lock: number, work: () => Promise<void>) => Promise<unknown>;

export class Rebuilds {
  readonly #db: EntryClient;
  readonly #onError: (error: unknown) => void;
  readonly #runAlone: RunAlone;
  readonly #poller: Poller;
  readonly #underway = new Map<string, Promise<void>>();
  #entries = 0;
  #failures = 0;
  #isClosed = false;

  /**
   * @param onError receives each error of a rebuild, which is tried again later
   * @param runAlone runs work that one process at a time may do
   * @param isLeader whether this process is the one that scans for outdated entries of others
   */
  constructor(db: EntryClient, onError: (error: unknown) => void, runAlone: RunAlone, isLeader: () => boolean) {
    this.#db = db;
    this.#onError = onError;
    this.#runAlone = runAlone;
    this.#poller = new Poller({
      every: lookIntervalMilliseconds,
      firstAfter: firstLookMilliseconds,
      isLeader,
      poll: () => this.resume(),
      onError,
    });
  }

  /**
   * Rebuilds a channel's entries for its current fields. Resolves when that is done, or after 10 seconds, while the
   * rebuild goes on. Does not reject: errors go to `onError`.
   */
  async rebuild(channel: Channel): Promise<void> {
    const waiting = new AbortController();
    await Promise.race([
      this.#start(channel),
      sleep(maxWaitMilliseconds, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
  }

  /** Rebuilds outdated entries that other processes left, for instance because they crashed. */
  async resume(): Promise<void> {
    try {
      // Usually there are none. Finding that out needs neither the lock nor a connection for it.
      const isAny = !(await findOutdatedChannels(this.#db).next()).done;
      if (isAny) await this.#runAlone(rebuildLock, () => this.#rebuildAll());
    } catch (error) {
      if (!this.#isClosed) this.#onError(error);
    }
  }

  async #rebuildAll(): Promise<void> {
    for await (const channel of findOutdatedChannels(this.#db)) {
      if (this.#isClosed) return;
      await this.#start(channel);
    }
  }

  readState(): RebuildState {
    return { underway: this.#underway.size, entries: this.#entries, failures: this.#failures };
  }

  /** Stops. Resolves when the running batches are stored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#poller.close();
    await Promise.all(this.#underway.values());
  }

  #start(channel: Channel): Promise<void> {
    const key = `${channel.uid} ${channel.fieldsVersion}`;
    const running = this.#underway.get(key);
    if (running) return running;
    const run = this.#run(channel)
      .catch((error: unknown) => {
        this.#failures += 1;
        this.#onError(error);
      })
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
      const derived: DerivedEntry[] = [];
      for (const entry of entries) {
        // The patterns of the fields may take long: requests are answered in between.
        await nextTurn();
        derived.push(deriveEntry(entry, channel));
      }
      if (!(await this.#store(channel, derived))) return;
      this.#entries += derived.length;
    }
    await this.#db.entry.markDerived(channel, indexedFields(channel));
  }

  /** Runs `work` again after a lock timeout or a deadlock, up to `maxBatchAttempts` times. */
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

  /**
   * Stores a batch. The new definitions may make two unique values equal: the first entry keeps its claim, later ones
   * lose theirs.
   * @returns false if the channel's fields changed meanwhile
   */
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

/** Derives an entry's stored form, title, side table rows and search words for its channel's current fields. */
export function deriveEntry(entry: Omit<OutdatedEntry, 'createdAt'>, channel: Channel): DerivedEntry {
  const { data, kept } = storedForm(originalValues(entry), channel, takeFreely);
  const { id, version } = entry;
  return {
    id,
    version,
    data,
    kept,
    title: entryTitle(data, channel),
    indexed: indexedValues(data, channel),
    searched: searchedText(data, channel),
  };
}

/** The entry without its claims on unique values: other entries may then have the same values. */
function withoutClaims(entry: DerivedEntry): DerivedEntry {
  return { ...entry, indexed: entry.indexed.map((value) => ({ ...value, unique: false })) };
}
