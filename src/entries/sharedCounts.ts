// Totals that requests share: all requests for the same total within a second get one count, unless a publication time
// lies between them. It may miss writes of other processes within that second, but never those of this process
// (docs/contract.md §5.14). A shared count may only be a number in an answer, never decide anything.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../base/singleFlight.ts';
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

/** Whether a viewer may see few entries of a channel, and until when that counts, by `performance.now`. */
interface Sight {
  readonly areFew: boolean;
  readonly until: number;
}

/**
 * Counts that requests share. A failure is shared only if the statement took too long: it would again, and holds up everybody
 * meanwhile. Others, such as limits of the caller that counts, need not stop the callers that wait.
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
   * Counts the matches, or waits for an equal count that is under way.
   * @param limit the number at which the count stops
   * @param count runs the count
   */
  async countOnce(match: EntryMatch, limit: number | null, count: () => Promise<TimedCount>): Promise<number> {
    const key = this.#makeKey(match, limit);
    const time = match.viewer.now.getTime();
    const shared = await this.#counts.run(key, count, (counted) => comparePeriod(counted, time) !== 'earlier');
    // Of requests around a publication time, those that began before it leave the newer count to the others.
    return comparePeriod(shared, time) === 'later' ? (await count()).count : shared.count;
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
    const probeNow = async (): Promise<Sight> => {
      const areFew = await probe();
      return { areFew, until: performance.now() + (areFew ? maxFewAge : maxManyAge) };
    };
    return (await this.#sights.run(key, probeNow, ({ until }) => performance.now() < until)).areFew;
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

/** The access that a total depends on: that of the viewer and, in a preview, of its caller, as far as its token's scopes go. */
function describeViewer({ subject, audience, within, scopes }: Viewer): unknown[] {
  return [subject, audience, within && describeViewer(within), scopes];
}
