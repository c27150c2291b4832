// Totals that requests share: all who ask for the same total within a second get the same count, unless a publication time lies
// between them. It may miss writes of other processes within that second, but never those of this process (docs/contract.md §5.14).
// No decision may rest on a shared count, only a number in an answer.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../base/singleFlight.ts';
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

/** Whether a viewer may see few entries of a channel, and until when that counts, by `performance.now`. */
interface Sight {
  readonly areFew: boolean;
  readonly until: number;
}

/**
 * Counts that requests share. A failure is shared only if the statement took too long: it would again, and holds up everybody
 * meanwhile. Others, such as limits of the caller that counts, need not stop those who wait.
 */
export class SharedCounts {
  readonly #counts = new SingleFlight<TimedCount>({
    kept: new LRUCache({ max: maxCounts, ttl: maxAge, ttlResolution: 0 }),
    sharesFailure: isOutOfTime,
  });
  /** A number for a site's last write by this process: counts from before a write are not shared after it. */
  readonly #writes = new LRUCache<string, number>({ max: maxCounts });
  #written = 0;
  readonly #sights = new SingleFlight<Sight>({ kept: new LRUCache({ max: maxViewers }), sharesFailure: isOutOfTime });

  /**
   * Counts the matches, or waits for a request that counts the same.
   * @param limit where the count stops
   * @param count counts
   */
  async share(match: EntryMatch, limit: number | null, count: () => Promise<TimedCount>): Promise<number> {
    const key = this.#makeKey(match, limit);
    const time = match.viewer.now.getTime();
    const shared = await this.#counts.run(key, count, (counted) => comparePeriod(counted, time) !== 'earlier');
    // Of requests around a publication time, those that began before it leave the newer count to the others.
    return comparePeriod(shared, time) === 'later' ? (await count()).count : shared.count;
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
    const lookNow = async (): Promise<Sight> => {
      const areFew = await look();
      return { areFew, until: performance.now() + (areFew ? maxFewAge : maxManyAge) };
    };
    return (await this.#sights.run(key, lookNow, ({ until }) => performance.now() < until)).areFew;
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
