// Totals that requests share: all who ask for the same total within a second get the same count, unless a publication time lies
// between them. It may miss writes of other processes within that second, but never those of this process (docs/contract.md §5.14).
// No decision may rest on a shared count, only a number in an answer.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isOutOfTime } from '../database/databaseErrors.ts';
import type { Viewer } from '../rules/callers.ts';
import type { EntryMatch } from './sql/expressions.ts';
import { comparePeriod, type TimedCount } from './feed/publicationTimes.ts';

/** For how long a count is shared after it began, in milliseconds. */
const maxAge = 1_000;
const maxCounts = 1_000;

/** For how long it is known that a viewer may see few entries of a channel, or many, in milliseconds. */
const [maxFewAge, maxManyAge] = [10_000, 60_000];
const maxViewers = 10_000;

export class SharedCounts {
  readonly #counts = new LRUCache<string, Promise<TimedCount>>({ max: maxCounts, ttl: maxAge, ttlResolution: 0 });
  /** A number for a site's last write by this process: counts from before a write are not shared after it. */
  readonly #writes = new LRUCache<string, number>({ max: maxCounts });
  #written = 0;
  readonly #areFew = new LRUCache<string, Promise<boolean>>({ max: maxViewers, ttl: maxFewAge, ttlResolution: 0 });

  /**
   * Counts the matches, or waits for a request that counts the same.
   * @param limit where the count stops
   * @param count counts
   */
  async share(match: EntryMatch, limit: number | null, count: () => Promise<TimedCount>): Promise<number> {
    const key = this.#makeKey(match, limit);
    const time = match.viewer.now.getTime();
    for (let known = this.#counts.get(key); known !== undefined;) {
      const shared = await known.catch(nullUnlessOutOfTime);
      const period = shared && comparePeriod(shared, time);
      if (shared && period === 'holds') return shared.count;
      // Of requests around a publication time, those that began before it leave the newer count to the others.
      if (period === 'later') return (await count()).count;
      const newer = this.#counts.get(key);
      known = period === null || newer === known ? undefined : newer;
    }
    return (await begin(this.#counts, key, count)).count;
  }

  /**
   * Whether a viewer may see only few entries of a channel. It is remembered for a while: only how fast a list is depends on it.
   * @param look finds it out
   */
  async areFew(
    { channel, viewer }: Pick<EntryMatch, 'channel' | 'viewer'>,
    look: () => Promise<boolean>,
  ): Promise<boolean> {
    const { siteId, uid, version } = channel;
    const key = createHash('sha256')
      .update(JSON.stringify([siteId, uid, version, ...describeViewer(viewer)]))
      .digest('base64');
    const known = this.#areFew.get(key);
    const shared = known === undefined ? null : await known.catch(nullUnlessOutOfTime);
    return shared ?? begin(this.#areFew, key, look, (areFew) => (areFew ? maxFewAge : maxManyAge));
  }

  /** Notes that this process has written to a site, or may have. */
  forget(site: string): void {
    this.#writes.set(site, (this.#written += 1));
  }

  /** Everything that a total depends on, except the present time, between whose publication times it holds. */
  #makeKey({ channel, viewer, predicate, search }: EntryMatch, limit: number | null): string {
    const seenBy = describeViewer(viewer);
    const writes = this.#writes.get(channel.siteId) ?? 0;
    const filter = JSON.stringify(predicate, (name, value: unknown) => {
      if (name !== 'channel') return value;
      return describeChannelState(value as EntryMatch['channel']);
    });
    return JSON.stringify([describeChannelState(channel), writes, seenBy, viewer.at, filter, search, limit]);
  }
}

/** The state of a channel that a total depends on. */
function describeChannelState({ uid, version, fieldsVersion, derivedVersion }: EntryMatch['channel']): unknown {
  return [uid, version, fieldsVersion, derivedVersion];
}

/** Whose sight a total depends on: the viewer's and, in a preview, its caller's. */
function describeViewer({ subject, audience, within }: Viewer): unknown[] {
  return [subject, audience, within && describeViewer(within)];
}

/**
 * Begins what others can wait for. What failed is not shared, but for what took too long.
 * @param getAge for how long a result is kept; absent: as long as the cache keeps all
 */
function begin<T extends TimedCount | boolean>(
  begun: LRUCache<string, Promise<T>>,
  key: string,
  start: () => Promise<T>,
  getAge?: (result: T) => number,
): Promise<T> {
  const result = start();
  begun.set(key, result);
  result.then(
    (value) => getAge !== undefined && begun.set(key, result, { ttl: getAge(value) }),
    () => begun.delete(key),
  );
  return result;
}

/**
 * What stopped the count of another caller, such as its own limits, need not stop this one.
 * @throws the error if the statement took too long: it would again, and holds up everybody meanwhile
 */
function nullUnlessOutOfTime(error: unknown): null {
  if (isOutOfTime(error)) throw error;
  return null;
}
