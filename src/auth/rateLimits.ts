// Rate limits: how many operations per minute may be run by one token, and from one address (docs/contract.md §13.1).
// Operations are counted in this process's memory, so that counting needs no query. About once a second the instances
// exchange their counts through the change feed, so that a limit can be exceeded by what the other instances admitted
// within that second.
import { randomUUID } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitConfig } from '../config.ts';
import { fail } from '../errors.ts';
import type { TokenKind } from '../rules/callers.ts';

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

/** The limits, by the names that the headers have for them. */
type LimitName = 'token' | 'address' | 'public-token';

/** A request that was counted for its address. */
export interface CountedRequest {
  readonly network: string;
  /** The address's operations; null: nothing is limited. */
  readonly count: WindowCount | null;
  /** The RateLimit headers of the response. */
  readonly headers: RateLimitHeaders;
}

export class RateLimits {
  readonly #counters: Readonly<Record<LimitName, Counter>> | null;
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
    this.#counters = limits && {
      token: new Counter('token', limits.perToken),
      address: new Counter('address', limits.perAddress),
      'public-token': new Counter('public-token', limits.perPublicToken),
    };
    this.#publish = publish;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.#publishCounts(), exchangeIntervalMilliseconds);
    this.#timer.unref();
  }

  /**
   * Counts a request as one operation of its address, before anything else is known of it.
   * @param network the `networkKey` of the client's address, as the server knows it
   * @throws rate_limited
   */
  async admitRequest(network: string): Promise<CountedRequest> {
    if (this.#counters === null) return { network, count: null, headers: {} };
    const count = await this.#counters.address.count(network, 1);
    return { network, count, headers: checkCounts([count]) };
  }

  /**
   * Counts the operations of a request, once its caller and they are known; `admitRequest` has counted one of them for the
   * address.
   * @returns the RateLimit headers of the limit of which less is left
   * @throws rate_limited; refused operations count as well
   */
  async admitOperations(
    request: CountedRequest,
    token: { readonly id: string; readonly kind: TokenKind },
    operations: number,
  ): Promise<RateLimitHeaders> {
    const { network, count } = request;
    if (this.#counters === null || count === null) return {};
    if (token.kind === 'public') return this.#admitVisitor(this.#counters, network, token.id, operations);
    const { token: tokens, address } = this.#counters;
    const byAddress = operations === 1 ? count : await address.count(network, operations - 1);
    return checkCounts([await tokens.count(token.id, operations), byAddress]);
  }

  /**
   * Counts operations with a public token, which the visitors of a site share: for the token and the address together, and then
   * the request for the token. What the first limit refuses is not counted for the second, and a large request counts there as
   * a small one does: few visitors cannot use it up for the others.
   */
  async #admitVisitor(
    { address, 'public-token': total }: Readonly<Record<LimitName, Counter>>,
    network: string,
    token: string,
    operations: number,
  ): Promise<RateLimitHeaders> {
    const byVisitor = await address.count(`${token} ${network}`, operations);
    checkCounts([byVisitor]);
    // Visitors of several sites may share an address: for the address alone the request does not count any more.
    await address.count(network, -1);
    return checkCounts([byVisitor, await total.count(token, 1)]);
  }

  /** Adds the counts of another process. Receives every message of the change feed, and ignores those that are not counts. */
  receiveCounts([topic, process, name, ...counts]: string[]): void {
    if (topic !== rateLimitTopic || process === this.#process) return;
    if (name === 'token' || name === 'address' || name === 'public-token') this.#counters?.[name].add(counts);
  }

  /** Stops the exchange of counts. */
  close(): void {
    clearInterval(this.#timer);
  }

  /** Sends the other processes what was counted here since the last call. */
  async #publishCounts(): Promise<void> {
    const messages = Object.entries(this.#counters ?? {}).flatMap(([name, counter]) =>
      counter.takeUnpublished().map((counts) => [rateLimitTopic, this.#process, name, ...counts]),
    );
    if (messages.length > 0) await this.#publish(messages).catch(this.#onError);
  }
}

/** The operations of a window so far, and their limit. */
interface WindowCount {
  readonly policy: Policy;
  readonly result: RateLimiterRes;
}

/** A limit, as the header `RateLimit-Policy` names it. */
interface Policy {
  readonly name: LimitName;
  readonly limit: number;
  readonly header: string;
}

/** Counts operations by key. */
class Counter {
  readonly #policy: Policy;
  readonly #limiter: RateLimiterMemory;
  #unpublished = new Map<string, number>();

  constructor(name: LimitName, limit: number) {
    this.#policy = { name, limit, header: `"${name}";q=${limit};w=${windowSeconds}` };
    this.#limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds });
  }

  /** Counts operations. @param operations how many; a negative number takes back what was counted */
  async count(key: string, operations: number): Promise<WindowCount> {
    this.#unpublished.set(key, (this.#unpublished.get(key) ?? 0) + operations);
    // Unlike `consume`, `penalty` does not reject when the limit is exceeded: `checkCounts` decides for several limits.
    return { policy: this.#policy, result: await this.#limiter.penalty(key, operations) };
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
    const unpublished = [...this.#unpublished].filter(([, operations]) => operations !== 0);
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
 * @returns the headers of the limit of which least is left, in the form of draft-ietf-httpapi-ratelimit-headers-10, and the
 *   three of its version 06, which more clients know
 * @throws rate_limited if one limit is exceeded
 */
function checkCounts([first, second = first]: readonly [WindowCount, WindowCount?]): RateLimitHeaders {
  const left = ({ policy, result }: WindowCount): number => policy.limit - result.consumedPoints;
  const { policy, result } = left(second) < left(first) ? second : first;
  // A clock that was set back makes the end of a window look far away: it is never further than a window.
  const seconds = Math.min(windowSeconds, Math.max(1, Math.ceil(result.msBeforeNext / 1_000)));
  const remaining = Math.max(0, policy.limit - result.consumedPoints);
  const headers = {
    'RateLimit-Policy': policy.header,
    RateLimit: `"${policy.name}";r=${remaining};t=${seconds}`,
    'RateLimit-Limit': String(policy.limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(seconds),
  };
  if (result.consumedPoints <= policy.limit) return headers;
  fail('rate_limited', {
    detail: `The limit of ${policy.limit} operations per minute is exceeded. Try again in ${seconds} seconds.`,
    headers: { ...headers, 'Retry-After': String(seconds) },
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
