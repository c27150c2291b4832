// Totals that requests share: all requests for the same total within a second get one count, unless a publication time
// lies between them. It may miss writes of other processes within that second, but never those of this process
// (docs/contract.md §5.14). A shared count may only be a number in an answer, never decide anything.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isOutOfTime } from '../database/databaseErrors.ts';
import type { Viewer } from '../rules/callers.ts';
import type { EntryMatch } from './sql/expressions.ts';
import { comparePeriod, type TimedCount } from './feed/publicationTimes.ts';

/** Time for which a count is shared, from its start, in milliseconds. */
const maxAge = 1_000;
const maxCounts = 1_000;

/** Time for which the answer of `seesFewEntries` is cached, by the answer, in milliseconds. */
const [maxFewAge, maxManyAge] = [10_000, 60_000];
const maxViewers = 10_000;

export class SharedCounts {
  readonly #counts = new LRUCache<string, Promise<TimedCount>>({ max: maxCounts, ttl: maxAge, ttlResolution: 0 });
  /** The number of a site's last write by this process: counts from before a write are not shared after it. */
  readonly #writes = new LRUCache<string, number>({ max: maxCounts });
  #written = 0;
  readonly #fewVisible = new LRUCache<string, Promise<boolean>>({ max: maxViewers, ttl: maxFewAge, ttlResolution: 0 });

  /**
   * Counts the matches, or waits for an equal count that is under way.
   * @param limit the number at which the count stops
   * @param count runs the count
   */
  async countOnce(match: EntryMatch, limit: number | null, count: () => Promise<TimedCount>): Promise<number> {
    const key = this.#makeKey(match, limit);
    const time = match.viewer.now.getTime();
    for (let pending = this.#counts.get(key); pending !== undefined;) {
      const shared = await pending.catch(nullUnlessOutOfTime);
      const period = shared && comparePeriod(shared, time);
      if (shared && period === 'holds') return shared.count;
      // Around a publication time, requests that began before it leave the newer count to the others.
      if (period === 'later') return (await count()).count;
      const newer = this.#counts.get(key);
      pending = period === null || newer === pending ? undefined : newer;
    }
    return (await startFlight(this.#counts, key, count)).count;
  }

  /**
   * Whether a viewer may see only few entries of a channel. The answer is cached, because only the speed of lists
   * depends on it.
   * @param probe queries the database
   */
  async seesFewEntries(
    { channel, viewer }: Pick<EntryMatch, 'channel' | 'viewer'>,
    probe: () => Promise<boolean>,
  ): Promise<boolean> {
    const { siteId, uid, version } = channel;
    const key = createHash('sha256')
      .update(JSON.stringify([siteId, uid, version, ...describeViewer(viewer)]))
      .digest('base64');
    const pending = this.#fewVisible.get(key);
    const shared = pending === undefined ? null : await pending.catch(nullUnlessOutOfTime);
    return shared ?? startFlight(this.#fewVisible, key, probe, (isFew) => (isFew ? maxFewAge : maxManyAge));
  }

  /** Notes that this process has written to a site, or may have. */
  forget(site: string): void {
    this.#writes.set(site, (this.#written += 1));
  }

  /**
   * Makes a key of everything that a total depends on, except the present time, which is compared with the total's
   * period.
   */
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

/** The access that a total depends on: that of the viewer and, in a preview, of its caller. */
function describeViewer({ subject, audience, within }: Viewer): unknown[] {
  return [subject, audience, within && describeViewer(within)];
}

/**
 * Starts a single flight. Failures are not shared, except timeouts.
 * @param getAge the time to cache a result; absent for the cache's own
 */
function startFlight<T extends TimedCount | boolean>(
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
 * Ignores the failure of another request's count, whose limits need not apply here.
 * @throws the error if the statement timed out: repeating it would time out again, and delay every request
 */
function nullUnlessOutOfTime(error: unknown): null {
  if (isOutOfTime(error)) throw error;
  return null;
}
