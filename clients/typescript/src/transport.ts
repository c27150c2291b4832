// Sends the requests of every client of the service: headers, the form of bodies, time limits, and repetition where it helps and does
// no harm. The package's client, the commands of clients/cli and the console differ by the options of a `Transport` and a `Repetition`.
import { EntrywayError, readProblem, readRetryAfter } from './problem.ts';

/** Where the service is, who asks, and how patient the client is. */
export interface ClientOptions {
  /** The address of the service, such as `https://content.example.com`. */
  readonly url: string | URL;
  /** A token of any kind. In a browser: only ever a public one. */
  readonly token: string;
  /** The id of the site; tokens of users need it. */
  readonly site?: string | undefined;
  /** The session token of a customer, to ask as that customer. */
  readonly session?: string | undefined;
  /** Whether access control applies to a master token, too: with a session as its customer, else as a visitor. */
  readonly useAcl?: boolean | undefined;
  /** Sends requests in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How often a request is repeated that got no answer, or 429, 502, 503 or 504. Default: 4. */
  readonly retries?: number | undefined;
  /** How many milliseconds are waited before a repetition at most: where `Retry-After` is longer, the request fails. 30,000. */
  readonly maxRetryDelay?: number | undefined;
  /** After how many milliseconds an answer that does not come counts as lost. Default: 60,000. */
  readonly timeout?: number | undefined;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What every call takes that writes. */
export interface WriteOptions extends CallOptions {
  /**
   * The service does what requests with the same key ask for once. Absent: each call has a key of its own, so that it can be
   * repeated when its answer was lost.
   */
  readonly idempotencyKey?: string | undefined;
}

/** What a client of this project says besides. */
export interface TransportOptions extends ClientOptions {
  /** How each request redirects, is kept, and sends cookies. */
  readonly request?: {
    readonly redirect?: 'manual';
    readonly cache?: 'no-store';
    readonly credentials?: 'omit';
  };
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A request. */
export interface Sent extends WriteOptions {
  readonly method?: Method;
  /** Those that are null or absent are left out. */
  readonly query?: Readonly<Record<string, string | null | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What is sent as JSON. */
  readonly body?: unknown;
  /** A body that is a text of JSON already, in place of `body`. */
  readonly json?: string | undefined;
  /** For how many milliseconds the service may hold the answer. */
  readonly held?: number;
}

export interface Answer {
  readonly headers: Headers;
  /** Null where there is none. */
  readonly body: unknown;
}

/** What the service answers, whatever its status. */
export interface TextAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Why there is no answer. */
interface Silence {
  readonly reason: string;
  /** Whether the time for it was over. */
  readonly isLate: boolean;
  /** Whether somebody took the connection. */
  readonly wasThere: boolean;
  readonly cause: unknown;
}

export class NoAnswer {
  readonly why: Silence;

  constructor(why: Silence) {
    this.why = why;
  }
}

export type Outcome = TextAnswer | NoAnswer;

/** How a request is repeated whose outcome may be another one later. */
export interface Repetition {
  /** How many milliseconds the pauses grow to, if the service names no longer one. */
  readonly maxBackoff: number;
  /** Whether every 409 to a request with a key tells that an earlier one is being answered, even one without `Retry-After`. */
  readonly repeatsConflicts?: boolean;
  /**
   * Whether the request is sent once more.
   * @param pause how many milliseconds are waited before that
   * @param attempt how often it was sent before
   */
  readonly goesOn: (outcome: Outcome, pause: number, attempt: number) => boolean;
}

/** A request is sent once, and whoever asked decides what becomes of it. */
export const unrepeated: Repetition = { maxBackoff: 0, goesOn: () => false };

const busyStatuses: readonly number[] = [429, 502, 503, 504];
const firstDelay = 250;

export class Transport {
  readonly options: TransportOptions;
  readonly #base: string;

  /** @throws {TypeError} for an address that is none, or a token that cannot be sent */
  constructor(options: TransportOptions) {
    const { origin, pathname, protocol } = new URL(options.url);
    if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError('url must begin with http:// or https://.');
    this.#base = origin + pathname.replace(/\/+$/, '');
    this.options = options;
    // Fails here, where the mistake is, rather than at the first request.
    new Headers(this.#headers({}));
  }

  /**
   * Sends a request, and repeats it while the service is busy or away. One that writes has a key.
   * @throws {EntrywayError} where the service refuses, or does not answer; the reason of the signal where that ends the call
   */
  async send(path: string, sent: Sent = {}): Promise<Answer> {
    const { retries = 4, maxRetryDelay: maxBackoff = 30_000 } = this.options;
    const { method = 'GET', idempotencyKey = method === 'GET' ? undefined : randomKey() } = sent;
    const outcome = await this.ask(
      path,
      { ...sent, idempotencyKey },
      { maxBackoff, goesOn: (_outcome, pause, attempt) => attempt < retries && pause <= maxBackoff },
    );
    if (outcome instanceof NoAnswer) {
      const { reason, cause } = outcome.why;
      throw new EntrywayError(`${this.#base} can't be reached: ${reason}.`, { code: 'unreachable', cause });
    }
    const { headers, text } = outcome;
    if (!isSuccess(outcome)) throw readProblem(outcome);
    try {
      return { headers, body: text === '' ? null : (JSON.parse(text) as unknown) };
    } catch (cause) {
      throw new EntrywayError('The answer is not JSON.', { code: 'unexpected', status: 200, cause });
    }
  }

  /**
   * Sends a request, and repeats it while its outcome may be another one later and `repetition` goes on.
   * @returns the last outcome
   * @throws the reason of the signal
   */
  async ask(path: string, sent: Sent, { maxBackoff, repeatsConflicts = false, goesOn }: Repetition): Promise<Outcome> {
    const isWaitedFor = repeatsConflicts && sent.idempotencyKey !== undefined;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(path, sent);
      if (!isPassing(outcome, isWaitedFor)) return outcome;
      const backoff = Math.min(maxBackoff, firstDelay * 2 ** attempt) * (0.5 + Math.random() / 2);
      const delay = Math.max(retryAfterOf(outcome) ?? 0, backoff);
      if (!goesOn(outcome, delay, attempt)) return outcome;
      await pause(delay, sent.signal);
    }
  }

  /** Sends a request once, and leaves the body of its answer to be read. @throws what `fetch` throws */
  async open(path: string, sent: Sent, signal = sent.signal): Promise<Response> {
    const { fetch: send = globalThis.fetch, request } = this.options;
    const { method = 'GET', body, json = body === undefined ? undefined : JSON.stringify(body) } = sent;
    // Called without the options as its `this`, which browsers refuse.
    return send(this.#base + path + this.#queryText(sent), {
      ...request,
      method,
      headers: this.#headers(sent),
      ...(json !== undefined && { body: json }),
      ...(signal && { signal }),
    });
  }

  /** One attempt. @throws the reason of the signal */
  async #attempt(path: string, sent: Sent): Promise<Outcome> {
    const { signal, held = 0 } = sent;
    const { timeout = 60_000 } = this.options;
    signal?.throwIfAborted();
    // A time without an end is none that `AbortSignal` takes.
    const late = timeout === Infinity ? new AbortController().signal : AbortSignal.timeout(timeout + held);
    let wasThere = false;
    try {
      const response = await this.open(path, sent, signal ? AbortSignal.any([signal, late]) : late);
      wasThere = true;
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (cause) {
      signal?.throwIfAborted();
      const isLate = late.aborted;
      const reason = isLate ? `no answer came within ${timeout + held} ms` : describeFault(cause);
      return new NoAnswer({ reason, isLate, wasThere: wasThere || isLate, cause });
    }
  }

  #headers({ headers, body, json, idempotencyKey }: Sent): Record<string, string> {
    const { token, site, session } = this.options;
    return {
      Authorization: `Bearer ${token}`,
      ...(site !== undefined && { 'X-Service-Site': site }),
      ...(session !== undefined && { 'Session-Token': session }),
      ...((body !== undefined || json !== undefined) && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...headers,
    };
  }

  #queryText({ query = {} }: Sent): string {
    const all = { ...query, use_acl: this.options.useAcl === true ? 'true' : undefined };
    const given = Object.entries(all).filter((each): each is [string, string] => typeof each[1] === 'string');
    return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  }
}

export function isSuccess({ status }: { readonly status: number }): boolean {
  return status >= 200 && status < 300;
}

/**
 * Whether the same request may have another outcome later.
 * @param isWaitedFor whether a 409 says so without `Retry-After`, too
 */
export function isPassing(outcome: Outcome, isWaitedFor = false): boolean {
  if (outcome instanceof NoAnswer || busyStatuses.includes(outcome.status)) return true;
  // 409 with Retry-After: an earlier request with the same key is still being answered.
  return outcome.status === 409 && (isWaitedFor || retryAfterOf(outcome) !== null);
}

function retryAfterOf(outcome: Outcome): number | null {
  return outcome instanceof NoAnswer ? null : readRetryAfter(outcome.headers);
}

/** Waits. @throws the reason of the signal */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}

/** 128 random bits. `crypto.randomUUID` exists on pages of HTTPS alone. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Node's `fetch` keeps the reason in the cause of its error, of which several together have a code alone. */
function describeFault(fault: unknown): string {
  const { cause, message } = (fault ?? {}) as { readonly cause?: Fault; readonly message?: string };
  const words = [cause?.message, cause?.code, message, String(fault)];
  return (words.find((each) => each !== undefined && each !== '') ?? '').replace(/\.$/, '');
}

interface Fault {
  readonly message?: string;
  readonly code?: string;
}
