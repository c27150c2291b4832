// Totals that requests share: all who ask for the same total within a second get the same count. It may miss writes of other
// processes within that second, but never those of this process (docs/contract.md §5).
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EntryMatch } from './expressions.ts';

/** For how long a count is shared after it began, in milliseconds. */
const maxAge = 1_000;
const maxCounts = 1_000;

/** For how long it is known that somebody may see many entries of a channel, in milliseconds. */
const maxManyAge = 60_000;

export class SharedCounts {
  readonly #counts = new LRUCache<string, Promise<number>>({ max: maxCounts, ttl: maxAge, ttlResolution: 0 });
  /** A number for a site's last write by this process: counts from before a write are not shared after it. */
  readonly #writes = new LRUCache<string, number>({ max: maxCounts });
  #written = 0;
  readonly #many = new LRUCache<string, true>({ max: maxCounts, ttl: maxManyAge });

  /**
   * Counts the matches, or waits for a request that counts the same.
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
   * Finds the few entries of a channel that a viewer may see. If there are many, they are not looked for again for a minute:
   * only how fast a list is depends on it.
   * @param find returns null if there are many
   */
  async findFew(
    { channel, viewer }: Pick<EntryMatch, 'channel' | 'viewer'>,
    find: () => Promise<readonly string[] | null>,
  ): Promise<readonly string[] | null> {
    const { siteId, uid, version } = channel;
    const key = createHash('sha256')
      .update(JSON.stringify([siteId, uid, version, viewer.subject, viewer.audience]))
      .digest('base64');
    if (this.#many.has(key)) return null;
    const few = await find();
    if (few === null) this.#many.set(key, true);
    return few;
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
