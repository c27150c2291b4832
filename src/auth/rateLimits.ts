// Rate limits: how many operations per minute may be run by one token, and from one address. Operations are counted in this
// process's memory, so that counting needs no query. About once a second the instances exchange their counts through the
// change feed, so that a limit can be exceeded by what the other instances admitted within that second.
import { randomUUID } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitConfig } from '../config.ts';
import { fail } from '../errors.ts';

/** The first item of exchanged counts on the change feed, where changes have the name of a table. */
const rateLimitTopic = 'rate_limits';
/** The length of a window. A key's window begins with its first operation. */
const windowSeconds = 60;
const exchangeIntervalMilliseconds = 1_000;
/** Keeps a notification below PostgreSQL's limit of 8,000 bytes. */
const maxCountsPerMessage = 50;

/** Sends messages to every process that follows the change feed. */
export type PublishCounts = (messages: string[][]) => Promise<void>;

type RateLimitHeaders = Record<string, string>;

type LimitKind = 'token' | 'address';

export class RateLimits {
  readonly #counters: Readonly<Record<LimitKind, Counter>> | null;
  readonly #publish: PublishCounts;
  readonly #onError: (error: unknown) => void;
  readonly #process = randomUUID();
  readonly #timer: NodeJS.Timeout;

  /**
   * @param limits null: nothing is limited
   * @param publish sends this process's counts to the others
   * @param onError receives the error if counts could not be sent; the other processes then miss them
   */
  constructor(limits: RateLimitConfig | null, publish: PublishCounts, onError: (error: unknown) => void) {
    this.#counters = limits && { token: new Counter(limits.perToken), address: new Counter(limits.perAddress) };
    this.#publish = publish;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.#publishCounts(), exchangeIntervalMilliseconds);
    this.#timer.unref();
  }

  /**
   * Counts a request as one operation of its address, before anything else is known of it.
   * @param network the `networkKey` of the client's address, as the server knows it
   * @returns the RateLimit headers of the response
   * @throws rate_limited
   */
  async admitRequest(network: string): Promise<RateLimitHeaders> {
    if (this.#counters === null) return {};
    return checkCounts([await this.#counters.address.count(network, 1)]);
  }

  /**
   * Counts the operations of a request, once they are known; `admitRequest` has counted one of them for the address.
   * @returns the RateLimit headers of the limit of which less is left
   * @throws rate_limited; refused operations count as well
   */
  async admitOperations(
    { network, token }: { network: string; token: string },
    operations: number,
  ): Promise<RateLimitHeaders> {
    if (this.#counters === null) return {};
    const { token: tokens, address: addresses } = this.#counters;
    return checkCounts([await tokens.count(token, operations), await addresses.count(network, operations - 1)]);
  }

  /** Adds the counts of another process. Receives every message of the change feed, and ignores those that are not counts. */
  receiveCounts([topic, process, kind, ...counts]: string[]): void {
    if (topic !== rateLimitTopic || process === this.#process) return;
    if (kind === 'token' || kind === 'address') this.#counters?.[kind].add(counts);
  }

  /** Stops the exchange of counts. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Sends the other processes what was counted here since the last call. */
  async #publishCounts(): Promise<void> {
    const messages = Object.entries(this.#counters ?? {}).flatMap(([kind, counter]) =>
      counter.takeUnpublished().map((counts) => [rateLimitTopic, this.#process, kind, ...counts]),
    );
    if (messages.length > 0) await this.#publish(messages).catch(this.#onError);
  }
}

/** The operations of a window so far, and their limit. */
interface WindowCount {
  readonly limit: number;
  readonly result: RateLimiterRes;
}

/** Counts operations by key. */
class Counter {
  readonly #limiter: RateLimiterMemory;
  #unpublished = new Map<string, number>();

  constructor(limit: number) {
    this.#limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds });
  }

  async count(key: string, operations: number): Promise<WindowCount> {
    if (operations > 0) this.#unpublished.set(key, (this.#unpublished.get(key) ?? 0) + operations);
    // Unlike `consume`, `penalty` does not reject when the limit is exceeded: `checkCounts` decides for several limits.
    return { limit: this.#limiter.points, result: await this.#limiter.penalty(key, operations) };
  }

  /** Adds counts. @param counts keys and numbers, alternating */
  add(counts: readonly string[]): void {
    for (let at = 0; at + 1 < counts.length; at += 2) {
      const operations = Number(counts[at + 1]);
      if (Number.isSafeInteger(operations)) void this.#limiter.penalty(counts[at] ?? '', operations);
    }
  }

  /** Returns the counts since the last call, in the form that `add` takes, split into parts that fit a notification. */
  takeUnpublished(): string[][] {
    const unpublished = [...this.#unpublished];
    this.#unpublished = new Map();
    const parts: string[][] = [];
    for (let at = 0; at < unpublished.length; at += maxCountsPerMessage) {
      const part = unpublished.slice(at, at + maxCountsPerMessage);
      parts.push(part.flatMap(([key, operations]) => [key, String(operations)]));
    }
    return parts;
  }
}

/**
 * Checks counts against their limits.
 * @returns the headers of the limit of which least is left (draft-ietf-httpapi-ratelimit-headers-07)
 * @throws rate_limited if one limit is exceeded
 */
function checkCounts(counts: readonly WindowCount[]): RateLimitHeaders {
  const [first, ...others] = counts;
  if (first === undefined) return {};
  const left = ({ limit, result }: WindowCount): number => limit - result.consumedPoints;
  const { limit, result } = others.reduce((nearest, each) => (left(each) < left(nearest) ? each : nearest), first);
  // A clock that was set back makes the end of a window look far away: it is never further than a window.
  const seconds = String(Math.min(windowSeconds, Math.max(1, Math.ceil(result.msBeforeNext / 1_000))));
  const headers = {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(Math.max(0, limit - result.consumedPoints)),
    'RateLimit-Reset': seconds,
    'RateLimit-Policy': `${limit};w=${windowSeconds}`,
  };
  if (result.consumedPoints <= limit) return headers;
  fail('rate_limited', {
    detail: `The limit of ${limit} operations per minute is exceeded. Try again in ${seconds} seconds.`,
    headers: { ...headers, 'Retry-After': seconds },
  });
}

/**
 * The key under which an address is counted: the network that one client usually has to itself. For IPv4, including
 * addresses mapped to IPv6, that is the address itself; for IPv6 it is the first 64 bits (RFC 6177 §2). A text that is
 * not an address is its own key.
 */
export function networkKey(address: string): string {
  const known = networks.get(address);
  if (known !== undefined) return known;
  const network = findNetwork(address);
  networks.set(address, network);
  return network;
}

/** The networks of addresses that were seen lately. */
const networks = new LRUCache<string, string>({ max: 1_000 });

function findNetwork(address: string): string {
  // Some proxies write the client's port behind its address: `192.0.2.1:1234`, `[2001:db8::1]:1234`.
  const bare = /^(?:(\d+(?:\.\d+){3})|\[([^\]]+)\])(?::\d+)?$/.exec(address);
  const host = bare?.[1] ?? bare?.[2] ?? address;
  if (!ipaddr.IPv6.isValid(host)) return host;
  const parsed = ipaddr.process(host);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const prefix = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}
