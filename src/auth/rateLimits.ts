// How many operations a token may do, and an address may send, in a minute. Counted in this process's memory, so that
// it costs a request no query; about once a second each process tells the others what it counted, through the channel
// that tells of changes. So together they may let through, beyond the limit, what the others let through in that second.
import { randomUUID } from 'node:crypto';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitConfig } from '../config.ts';
import { fail } from '../errors.ts';
import { networkOf } from './address.ts';

/** The name that counts have among the changes. */
const topic = 'rate_limits';
/** How long a window is, in seconds. It begins with the first operation. */
const windowLength = 60;
/** How often counts are told, in milliseconds. */
const interval = 1_000;
/** How many counts go into one notification, which may have 8,000 bytes. */
const countsPerMessage = 50;

/** Sends messages to every process that follows the changes. */
export type Tell = (messages: string[][]) => Promise<void>;

/** Response headers by name. */
type Headers = Record<string, string>;

type Kind = 'token' | 'address';

export class RateLimits {
  readonly #counters: Readonly<Record<Kind, Counter>> | null;
  readonly #tell: Tell;
  readonly #onError: (error: unknown) => void;
  readonly #process = randomUUID();
  readonly #timer: NodeJS.Timeout;

  /**
   * @param limits null: nothing is limited
   * @param tell tells the other processes of the service
   * @param onError told of what kept counts from being told; the others then lack them
   */
  constructor(limits: RateLimitConfig | null, tell: Tell, onError: (error: unknown) => void) {
    this.#counters = limits && { token: new Counter(limits.perToken), address: new Counter(limits.perAddress) };
    this.#tell = tell;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.settle(), interval);
    this.#timer.unref();
  }

  /**
   * Counts a request, as one operation of its address, before anything else is known of it.
   * @param address the client's, as the server knows it
   * @throws rate_limited
   */
  async admitRequest(address: string): Promise<Headers> {
    if (this.#counters === null) return {};
    return verdict([await this.#counters.address.count(networkOf(address), 1)]);
  }

  /**
   * Counts the operations that a request turned out to hold; its address was counted for one of them before.
   * @returns headers that tell how much is left, of the limit that is nearer
   * @throws rate_limited; the operations count all the same
   */
  async admitOperations({ address, token }: { address: string; token: string }, operations: number): Promise<Headers> {
    if (this.#counters === null) return {};
    const { token: tokens, address: addresses } = this.#counters;
    return verdict([await tokens.count(token, operations), await addresses.count(networkOf(address), operations - 1)]);
  }

  /** Takes in what another process counted. A change of anything else is none of its business. */
  hear([about, process, kind, ...counts]: string[]): void {
    if (about !== topic || process === this.#process) return;
    if (kind === 'token' || kind === 'address') this.#counters?.[kind].add(counts);
  }

  /** Tells the others what was counted here since the last time. */
  async settle(): Promise<void> {
    const messages = Object.entries(this.#counters ?? {}).flatMap(([kind, counter]) =>
      counter.takeUntold().map((counts) => [topic, this.#process, kind, ...counts]),
    );
    if (messages.length > 0) await this.#tell(messages).catch(this.#onError);
  }

  /** Ends telling. */
  close(): void {
    clearInterval(this.#timer);
  }
}

/** The operations of a window, and how they stand to a limit. */
interface Count {
  readonly limit: number;
  readonly result: RateLimiterRes;
}

/** Counts operations by key. */
class Counter {
  readonly #limiter: RateLimiterMemory;
  #untold = new Map<string, number>();

  constructor(limit: number) {
    this.#limiter = new RateLimiterMemory({ points: limit, duration: windowLength });
  }

  async count(key: string, operations: number): Promise<Count> {
    if (operations > 0) this.#untold.set(key, (this.#untold.get(key) ?? 0) + operations);
    // Counts as `consume` does; whether it is too much is said by `verdict`, for several limits at once.
    return { limit: this.#limiter.points, result: await this.#limiter.penalty(key, operations) };
  }

  /** @param counts keys and numbers, in turn */
  add(counts: readonly string[]): void {
    for (let at = 0; at + 1 < counts.length; at += 2) {
      const operations = Number(counts[at + 1]);
      if (Number.isSafeInteger(operations)) void this.#limiter.penalty(counts[at] ?? '', operations);
    }
  }

  /** What `add` takes, in parts that fit into a notification. */
  takeUntold(): string[][] {
    const untold = [...this.#untold];
    this.#untold = new Map();
    const parts: string[][] = [];
    for (let at = 0; at < untold.length; at += countsPerMessage) {
      parts.push(untold.slice(at, at + countsPerMessage).flatMap(([key, operations]) => [key, String(operations)]));
    }
    return parts;
  }
}

/**
 * What some counts amount to, told by the limit of which least is left (RateLimit headers: draft-ietf-httpapi-ratelimit-headers-07).
 * @throws rate_limited where one is over its limit
 */
function verdict(counts: readonly Count[]): Headers {
  const [nearest] = counts.toSorted((a, b) => a.limit - a.result.consumedPoints - (b.limit - b.result.consumedPoints));
  if (nearest === undefined) return {};
  const { limit, result } = nearest;
  const seconds = String(Math.max(1, Math.ceil(result.msBeforeNext / 1_000)));
  const headers = {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(Math.max(0, limit - result.consumedPoints)),
    'RateLimit-Reset': seconds,
    'RateLimit-Policy': `${limit};w=${windowLength}`,
  };
  if (result.consumedPoints <= limit) return headers;
  fail('rate_limited', {
    detail: `There are at most ${limit} operations a minute here. Try again in ${seconds} seconds.`,
    headers: { ...headers, 'Retry-After': seconds },
  });
}
