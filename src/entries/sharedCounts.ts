// Totals that requests share: all who ask for the same total within a second get the same count. It may miss writes of other
// processes within that second, but never those of this process (docs/contract.md §5).
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isOutOfTime } from '../database/databaseErrors.ts';
import type { EntryMatch } from './expressions.ts';

/** For how long a count is shared after it began, in milliseconds. */
const maxAge = 1_000;
const maxCounts = 1_000;

/** For how long it is known that a viewer may see few entries of a channel, or many, in milliseconds. */
const [maxFewAge, maxManyAge] = [10_000, 60_000];
const maxViewers = 10_000;

export class SharedCounts {
  readonly #counts = new LRUCache<string, Promise<number>>({ max: maxCounts, ttl: maxAge, ttlResolution: 0 });
  /** A number for a site's last write by this process: counts from before a write are not shared after it. */
  readonly #writes = new LRUCache<string, number>({ max: maxCounts });
  #written = 0;
  readonly #areFew = new LRUCache<string, Promise<boolean>>({ max: maxViewers, ttl: maxFewAge, ttlResolution: 0 });

  /**
   * Counts the matches, or waits for a request that counts the same.
   * @param limit where the count stops
   * @param count counts
   */
  async share(match: EntryMatch, limit: number | null, count: () => Promise<number>): Promise<number> {
    return shareResult(this.#counts, this.#makeKey(match, limit), count);
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
      .update(JSON.stringify([siteId, uid, version, viewer.subject, viewer.audience]))
      .digest('base64');
    return shareResult(this.#areFew, key, look, (areFew) => (areFew ? maxFewAge : maxManyAge));
  }

  /** Notes that this process has written to a site, or may have. */
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

/** The state of a channel that a total depends on. */
function describeChannelState({ uid, version, fieldsVersion, derivedVersion }: EntryMatch['channel']): unknown {
  return [uid, version, fieldsVersion, derivedVersion];
}

/**
 * Waits for what another request began, or begins it. What failed is not shared, but for what took too long.
 * @param getAge for how long a result is kept; absent: as long as the cache keeps all
 */
async function shareResult<T extends number | boolean>(
  begun: LRUCache<string, Promise<T>>,
  key: string,
  begin: () => Promise<T>,
  getAge?: (result: T) => number,
): Promise<T> {
  const known = begun.get(key);
  if (known !== undefined) {
    const shared = await known.catch(nullUnlessOutOfTime);
    if (shared !== null) return shared;
  }
  const result = begin();
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
