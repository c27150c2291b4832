// Limits rates: the operations per minute of one token, and those of one address (docs/contract.md §13.1). Operations
// are counted in this process's memory, so that counting needs no query. About once a second the process shares,
// through the database, the counts of keys that were used much here or are near their limit (rateWindows.ts).
import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { RateLimitConfig } from '../config/config.ts';
import {
  awaitTotals,
  rateLimitNames,
  rateLimitTopic,
  UnknownOutcome,
  type RateLimitName,
  type ShareCounts,
} from './rateCounts.ts';
import { fail } from '../base/errors.ts';
import { Poller } from '../base/poller.ts';
import type { TokenKind } from '../rules/callers.ts';
import { findTighter, RateWindows, windowMilliseconds, type LimitedCount } from './rateWindows.ts';

const shareIntervalMilliseconds = 1_000;

/** A request that was counted for its address. */
export interface CountedRequest {
  readonly network: string;
  /** The address's operations; null without limits. */
  readonly count: LimitedCount | null;
}

export class RateLimits {
  readonly #counters: Readonly<Record<RateLimitName, RateWindows>> | null;
  readonly #hasLegacyHeaders: boolean;
  readonly #share: ShareCounts;
  readonly #onError: (error: unknown) => void;
  readonly #poller: Poller | null;
  #isSharing = false;

  /**
   * @param limits null for none
   * @param share shares counts with the other processes
   * @param onError receives the error if counts could not be shared; they are shared later, unless it took too long
   */
  constructor(limits: RateLimitConfig | null, share: ShareCounts, onError: (error: unknown) => void) {
    this.#counters = limits && {
      token: new RateWindows('token', limits.perToken),
      address: new RateWindows('address', limits.perAddress),
      'public-token': new RateWindows('public-token', limits.perPublicToken),
    };
    this.#hasLegacyHeaders = limits?.legacyHeaders ?? false;
    this.#share = share;
    this.#onError = onError;
    // It does not wait for the database: ended windows are forgotten meanwhile.
    const poll = (): void => void this.shareCounts();
    this.#poller = limits && new Poller({ every: shareIntervalMilliseconds, poll, onError });
  }

  /**
   * Counts a request as one operation of its address, before anything else is known of it.
   * @param network the `networkKey` of the client's address, as the server knows it
   * @throws rate_limited
   */
  admitRequest(network: string): CountedRequest {
    if (this.#counters === null) return { network, count: null };
    const count = this.#counters.address.count(network, 1);
    if (count.operations > count.limit) this.#refuse(count);
    return { network, count };
  }

  /**
   * Counts the operations of a request, once they and the caller are known; `admitRequest` has counted one of them for
   * the address.
   * @returns the count against the tighter limit; null without limits
   * @throws rate_limited; refused operations count as well
   */
  admitOperations(
    request: CountedRequest,
    token: { readonly id: string; readonly kind: TokenKind },
    operations: number,
  ): LimitedCount | null {
    const { network, count } = request;
    if (this.#counters === null || count === null) return null;
    if (token.kind === 'public') return this.#admitVisitor(this.#counters, network, token.id, operations);
    const byAddress = operations === 1 ? count : this.#counters.address.count(network, operations - 1);
    const tighter = findTighter(this.#counters.token.count(token.id, operations), byAddress);
    if (tighter.operations > tighter.limit) this.#refuse(tighter);
    return tighter;
  }

  /**
   * Counts operations with a public token, which the visitors of a site share: first for the token and the address
   * together, then the request as one for the token. A request that the first limit refuses does not count for the
   * second, and a large one counts there like a small one, so that a few visitors cannot use the token up for the
   * others.
   */
  #admitVisitor(
    counters: Readonly<Record<RateLimitName, RateWindows>>,
    network: string,
    token: string,
    operations: number,
  ): LimitedCount {
    const byVisitor = counters.address.count(`${token} ${network}`, operations);
    if (byVisitor.operations > byVisitor.limit) this.#refuse(byVisitor);
    // Visitors of several sites may share an address: take back the count of `admitRequest` for the address alone.
    counters.address.count(network, -1);
    const tighter = findTighter(byVisitor, counters['public-token'].count(token, 1));
    if (tighter.operations > tighter.limit) this.#refuse(tighter);
    return tighter;
  }

  /** Refuses a request whose count exceeds its limit. @throws rate_limited always */
  #refuse(count: LimitedCount): never {
    const { limit } = count;
    const seconds = secondsLeft(count);
    fail('rate_limited', {
      detail: `The limit of ${limit} operations per minute is exceeded. Try again in ${seconds} seconds.`,
      headers: { ...rateLimitHeaders(count, this.#hasLegacyHeaders), 'Retry-After': String(seconds) },
    });
  }

  /** Learns a total of all processes. Receives every message of the change feed, and ignores all but totals. */
  receiveCounts([topic, name = '', key = '', operations, milliseconds]: readonly string[]): void {
    if (topic !== rateLimitTopic || !isLimitName(name)) return;
    const total = { key, operations: Number(operations), milliseconds: Number(milliseconds) };
    if (Number.isFinite(total.operations) && total.milliseconds > 0) this.#counters?.[name].learn(total);
  }

  /** Shares the counts that the other processes have to know. Does not reject: errors go to `onError`. */
  async shareCounts(): Promise<void> {
    const counters = this.#counters;
    if (counters === null) return;
    // Done even while the database does not answer, because memory would grow meanwhile.
    for (const windows of Object.values(counters)) windows.forgetEnded();
    if (this.#isSharing) return;
    const taken = rateLimitNames.map((name) => ({ name, counts: counters[name].takeDue() }));
    const told = taken.flatMap(({ name, counts }) =>
      counts.map((count) => ({ ...count, name, limit: counters[name].limit })),
    );
    if (told.length === 0) return;
    this.#isSharing = true;
    try {
      const totals = await awaitTotals(this.#share(told));
      for (const { name, counts } of taken) counters[name].settle(counts);
      for (const { name, ...total } of totals) counters[name].learn(total);
    } catch (error) {
      const isUnknown = error instanceof UnknownOutcome;
      for (const { name, counts } of taken) counters[name][isUnknown ? 'settle' : 'giveBack'](counts);
      this.#onError(error);
    } finally {
      this.#isSharing = false;
    }
  }

  /** Stops sharing counts. */
  close(): void {
    void this.#poller?.close();
  }
}

function isLimitName(name: string): name is RateLimitName {
  return (rateLimitNames as readonly string[]).includes(name);
}

/**
 * The headers that report a limit, in the form of draft-ietf-httpapi-ratelimit-headers-10.
 * @param withLegacy adds the three of its version 06, for clients that know only these
 */
export function rateLimitHeaders(count: LimitedCount, withLegacy: boolean): Record<string, string> {
  const { name, limit, operations } = count;
  const seconds = secondsLeft(count);
  const remaining = Math.max(0, limit - operations);
  const headers: Record<string, string> = {
    'RateLimit-Policy': `"${name}";q=${limit};w=${windowSeconds}`,
    RateLimit: `"${name}";r=${remaining};t=${seconds}`,
  };
  if (withLegacy) {
    headers['RateLimit-Limit'] = String(limit);
    headers['RateLimit-Remaining'] = String(remaining);
    headers['RateLimit-Reset'] = String(seconds);
  }
  return headers;
}

const windowSeconds = windowMilliseconds / 1_000;

/** The rest of a window, in seconds. */
function secondsLeft({ milliseconds }: LimitedCount): number {
  return Math.min(windowSeconds, Math.max(1, Math.ceil(milliseconds / 1_000)));
}

/**
 * The key under which an address is counted: the network that one client usually has to itself. For IPv4, including
 * addresses mapped to IPv6, that is the address itself; for IPv6 it is the first 64 bits (RFC 6177 §2). A text that is
 * not an address is its own key, or its digest if it is long.
 */
export function networkKey(address: string): string {
  const known = networks.get(address);
  if (known !== undefined) return known;
  const network = findNetwork(address);
  networks.set(address, network);
  return network;
}

/**
 * The length up to which a text that is not an address is its own key. Longer ones are hashed, so that keys take a
 * bounded space.
 */
const maxKeyLength = 64;

/** The networks of recent addresses. */
const networks = new LRUCache<string, string>({ max: 1_000 });

function findNetwork(address: string): string {
  // Some proxies write the client's port behind its address: `192.0.2.1:1234`, `[2001:db8::1]:1234`.
  const bare = /^(?:(\d+(?:\.\d+){3})|\[([^\]]+)\])(?::\d+)?$/.exec(address);
  const host = bare?.[1] ?? bare?.[2] ?? address;
  if (!ipaddr.IPv6.isValid(host))
    return host.length <= maxKeyLength ? host : createHash('sha256').update(host).digest('hex');
  const parsed = ipaddr.process(host);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const prefix = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}
