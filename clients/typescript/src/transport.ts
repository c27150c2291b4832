// Sends requests: headers, the form of bodies, time limits, and repetition where it helps and does no harm.
import { EntrywayError, readProblem } from './problem.ts';

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

/** A request. */
export interface Sent extends WriteOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is sent as JSON. */
  readonly body?: unknown;
  /** For how many milliseconds the service may hold the answer. */
  readonly held?: number;
}

export interface Answer {
  readonly headers: Headers;
  /** Null where there is none. */
  readonly body: unknown;
}

const busyStatuses: readonly number[] = [429, 502, 503, 504];
const firstDelay = 250;

export class Transport {
  readonly options: ClientOptions;
  readonly #base: string;

  /** @throws {TypeError} for an address that is none, or a token that cannot be sent */
  constructor(options: ClientOptions) {
    const { origin, pathname, protocol } = new URL(options.url);
    if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError('url must begin with http:// or https://.');
    this.#base = origin + pathname.replace(/\/+$/, '');
    this.options = options;
    // Fails here, where the mistake is, rather than at the first request.
    new Headers(this.#headers({}));
  }

  /**
   * Sends a request, and repeats it while the service is busy or away.
   * @throws {EntrywayError} where the service refuses, or does not answer; the reason of the signal where that ends the call
   */
  async send(path: string, sent: Sent = {}): Promise<Answer> {
    const { retries = 4, maxRetryDelay = 30_000 } = this.options;
    const { method = 'GET', idempotencyKey = method === 'GET' ? undefined : randomKey(), signal } = sent;
    const request = { ...sent, idempotencyKey };
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(path, request);
      if (!(outcome instanceof EntrywayError)) return outcome;
      const backoff = firstDelay * 2 ** attempt * (0.5 + Math.random() / 2);
      const delay = Math.max(outcome.retryAfter ?? 0, Math.min(backoff, maxRetryDelay));
      if (!isPassing(outcome) || attempt >= retries || delay > maxRetryDelay) throw outcome;
      await pause(delay, signal);
    }
  }

  /** One attempt: an answer, or the error that it stands for. @throws the reason of the signal */
  async #attempt(path: string, sent: Sent): Promise<Answer | EntrywayError> {
    const { method = 'GET', body, signal, held = 0 } = sent;
    const { fetch: send = globalThis.fetch, timeout = 60_000 } = this.options;
    signal?.throwIfAborted();
    const late = AbortSignal.timeout(timeout + held);
    try {
      // Called without the options as its `this`, which browsers refuse.
      const response = await send(this.#base + path + this.#queryText(sent), {
        method,
        headers: this.#headers(sent),
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, late]) : late,
      });
      const text = await response.text();
      if (!response.ok) return readProblem(response, text);
      return { headers: response.headers, body: text === '' ? null : (JSON.parse(text) as unknown) };
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof SyntaxError) {
        return new EntrywayError('The answer is not JSON.', { code: 'unexpected', status: 200, cause });
      }
      const reason = late.aborted ? `no answer came within ${timeout + held} ms` : describeFault(cause);
      return new EntrywayError(`${this.#base} can't be reached: ${reason}.`, { code: 'unreachable', cause });
    }
  }

  #headers({ headers, body, idempotencyKey }: Sent): Record<string, string> {
    const { token, site, session } = this.options;
    return {
      Authorization: `Bearer ${token}`,
      ...(site !== undefined && { 'X-Service-Site': site }),
      ...(session !== undefined && { 'Session-Token': session }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...headers,
    };
  }

  #queryText({ query = {} }: Sent): string {
    const all = { ...query, use_acl: this.options.useAcl === true ? 'true' : undefined };
    const given = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined);
    return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  }
}

/** Whether the same request may be answered otherwise later. */
function isPassing({ status, code, retryAfter }: EntrywayError): boolean {
  // 409 with Retry-After: an earlier request with the same key is still being answered.
  return code === 'unreachable' || busyStatuses.includes(status) || (status === 409 && retryAfter !== null);
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

/** Node's `fetch` keeps the reason in the cause of its error. */
function describeFault(fault: unknown): string {
  const { cause, message } = (fault ?? {}) as {
    readonly cause?: { readonly message?: string };
    readonly message?: string;
  };
  return (cause?.message ?? message ?? String(fault)).replace(/\.$/, '');
}
