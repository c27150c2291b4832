// Totals that requests share: whoever asks for the same total within a second gets the same count. It may miss what other
// processes wrote within that second, and never what this process wrote (docs/contract.md §5).
import { LRUCache } from 'lru-cache';
import type { EntryMatch } from './expressions.ts';

/** For how long a count is shared from its begin on, in milliseconds. */
const maxAge = 1_000;
const maxCounts = 1_000;

/** For how long it is known that somebody may see many entries of a channel, in milliseconds. */
const maxManyAge = 60_000;

export class SharedCounts {
  readonly #counts = new LRUCache<string, Promise<number>>({ max: maxCounts, ttl: maxAge, ttlResolution: 0 });
  /** How often this process has written to a site: counts from before a write are not shared after it. */
  readonly #writes = new LRUCache<string, number>({ max: maxCounts });
  #written = 0;
  readonly #many = new LRUCache<string, true>({ max: maxCounts, ttl: maxManyAge });

  /**
   * Counts the matches, or waits for somebody who counts the same.
   * @param limit where the count stops
   * @param count counts
   */
  async share(match: EntryMatch, limit: number | null, count: () => Promise<number>): Promise<number> {
    const key = this.#makeKey(match, limit);
    const known = this.#counts.get(key);
    if (known !== undefined) {
      // What stopped the count of another caller, such as its own limits, need not stop this one.
      const shared = await known.catch(() => null);
      if (shared !== null) return shared;
    }
    const counting = count();
    this.#counts.set(key, counting);
    counting.catch(() => this.#counts.delete(key));
    return counting;
  }

  /**
   * Finds the few entries that somebody may see of a channel. Nothing depends on it but how fast a list is: who may see many is
   * not looked at again for a minute.
   * @param find returns null if there are many
   */
  async findFew(
    { channel, viewer }: Pick<EntryMatch, 'channel' | 'viewer'>,
    find: () => Promise<readonly string[] | null>,
  ): Promise<readonly string[] | null> {
    const key = JSON.stringify([channel.uid, channel.version, viewer.subject, viewer.audience]);
    if (this.#many.has(key)) return null;
    const few = await find();
    if (few === null) this.#many.set(key, true);
    return few;
  }

  /** Says that this process has written to a site, or may have. */
  forget(site: string): void {
    this.#writes.set(site, (this.#written += 1));
  }

  /** Everything that a total depends on, except the present time. */
  #makeKey({ channel, viewer, predicate, search }: EntryMatch, limit: number | null): string {
    const { subject, audience, at } = viewer;
    const writes = this.#writes.get(channel.siteId) ?? 0;
    const filter = JSON.stringify(predicate, (name, value: unknown) => {
      if (name !== 'channel') return value;
      return describeChannelState(value as EntryMatch['channel']);
    });
    return JSON.stringify([describeChannelState(channel), writes, subject, audience, at, filter, search, limit]);
  }
}

/** What of a channel a total depends on. */
function describeChannelState({ uid, version, fieldsVersion, derivedVersion }: EntryMatch['channel']): unknown {
  return [uid, version, fieldsVersion, derivedVersion];
}
