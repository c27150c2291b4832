// Rebuilding what is derived from entries after their channel's fields changed, beside the requests. Each process does
// the changes that it made, and now and then what others left undone.
import { setTimeout as sleep } from 'node:timers/promises';
import { isCollision, isUniqueViolation } from '../database/databaseErrors.ts';
import {
  markDerived,
  outdatedChannels,
  outdatedEntries,
  storeDerived,
  type DerivedEntry,
  type OutdatedEntry,
} from './outdated.ts';
import { indexedFields, indexedValues } from '../fields/indexed.ts';
import { searchedText } from '../search/searchedText.ts';
import { givenValues, storedForm } from '../fields/stored.ts';
import type { Channel, PrismaClient } from '../generated/prisma/client.ts';
import { entryTitle } from '../fields/title.ts';

/** Entries that are derived by one statement. */
const batchSize = 250;
/** How often a batch is tried while others hold its entries. */
const mostAttempts = 20;
/** How long a change of fields waits for its entries, in milliseconds: beyond that they are rebuilt behind its back. */
const patience = 10_000;
/** Sites that are looked through by one statement. */
const sitesAtOnce = 1_000;
/** How soon after the start, and how often from then on, work that others left is looked for, in milliseconds. */
const firstLook = 5_000;
const interval = 60_000;

export class Rebuilds {
  readonly #prisma: PrismaClient;
  readonly #onError: (error: unknown) => void;
  readonly #underway = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout;
  #isClosed = false;

  /** @param onError told of what kept a channel from being rebuilt; it is tried again later */
  constructor(prisma: PrismaClient, onError: (error: unknown) => void) {
    this.#prisma = prisma;
    this.#onError = onError;
    this.#timer = setTimeout(() => void this.resume(), firstLook).unref();
  }

  /** Rebuilds a channel's entries for the fields that it has; resolves when they are, or after some seconds. */
  async rebuild(channel: Channel): Promise<void> {
    const waiting = new AbortController();
    await Promise.race([
      this.#start(channel),
      sleep(patience, undefined, { signal: waiting.signal }).catch(() => undefined),
    ]);
    waiting.abort();
  }

  /** Rebuilds what no process did, as where one ended in the middle, and looks again later. */
  async resume(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const sites = await this.#prisma.site.findMany({ select: { id: true } });
      for (let at = 0; at < sites.length; at += sitesAtOnce) {
        const ids = sites.slice(at, at + sitesAtOnce).map(({ id }) => id);
        for (const channel of await outdatedChannels(this.#prisma, ids)) await this.#start(channel);
      }
    } catch (error) {
      if (!this.#isClosed) this.#onError(error);
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.resume(), interval).unref();
  }

  /** Ends after the batches that are under way. */
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
      const entries: OutdatedEntry[] = await outdatedEntries(this.#prisma, channel, last, batchSize);
      last = entries.at(-1) ?? null;
      if (last === null) break;
      if (
        !(await this.#store(
          channel,
          entries.map((entry) => derive(entry, channel)),
        ))
      )
        return;
    }
    await markDerived(this.#prisma, channel, indexedFields(channel));
  }

  /** Tries again where others hold an entry, or were in each other's way. */
  async #whileOthersWait<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (!isCollision(error) || attempt === mostAttempts || this.#isClosed) throw error;
        await sleep(Math.random() * 200 * attempt);
      }
    }
  }

  /** Values that became equal by the way they are read now can't both be held unique: the first one is. */
  async #store(channel: Channel, entries: readonly DerivedEntry[]): Promise<boolean> {
    try {
      return await this.#whileOthersWait(() => storeDerived(this.#prisma, channel, entries));
    } catch (error) {
      const [only] = entries;
      if (only === undefined || !isUniqueViolation(error)) throw error;
      if (entries.length === 1) return storeDerived(this.#prisma, channel, [notUnique(only)]);
      for (const entry of entries) if (!(await this.#store(channel, [entry]))) return false;
      return true;
    }
  }
}

/** An entry as it is to be stored under its channel's fields. */
export function derive(entry: Omit<OutdatedEntry, 'createdAt'>, channel: Channel): DerivedEntry {
  const { data, kept } = storedForm(givenValues(entry), channel);
  const { id, version } = entry;
  return {
    ...{ id, version, data, kept },
    title: entryTitle(data, channel),
    indexed: indexedValues(data, channel),
    searched: searchedText(data, channel),
  };
}

function notUnique(entry: DerivedEntry): DerivedEntry {
  return { ...entry, indexed: entry.indexed.map((value) => ({ ...value, unique: false })) };
}
