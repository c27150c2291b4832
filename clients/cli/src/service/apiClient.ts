// The HTTP client of import, export and sync. It repeats a request while the service is busy or does not answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf, Refusal } from '../terminal/refusal.ts';

/** Where the service is, and the token to send. */
export interface Connection {
  readonly url: string;
  readonly token: string;
  readonly site: string | undefined;
  /** A session token of a customer, to ask as that customer. */
  readonly session?: string | undefined;
  /** For how many milliseconds a request is repeated before it fails, once the service was there. */
  readonly patience: number;
}

interface ApiClientOptions extends Connection {
  /** Ends requests that are in flight. */
  readonly signal: AbortSignal;
  /** Prints a line when requests begin to wait for the service, and when none waits any more. */
  readonly say: (line: string) => void;
}

/** What a request carries. */
export interface SentRequest {
  /** Makes it a POST. */
  readonly body?: string;
  /** The Idempotency-Key; a request that writes needs one, since it is sent again when its answer was lost. */
  readonly key?: string;
  readonly prefer?: string;
  /** Whether a success is a text, and not JSON. */
  readonly isText?: boolean;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const busyStatuses: readonly number[] = [429, 502, 503, 504];
const maxRequestMilliseconds = 120_000;
const maxBackoffMilliseconds = 10_000;
/** How long a service that was never there is waited for: long enough for one that is being started. */
const firstPatienceMilliseconds = 5_000;

/** A request that is worth repeating. */
interface Postponement {
  readonly retryAfter: number;
  readonly reason: string;
}

export class ApiClient {
  readonly #options: ApiClientOptions;
  /** How many requests wait for a service that is busy or away. */
  #waiting = 0;
  /** Whether somebody was at the address: answered, or took a connection. */
  #wasThere = false;

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  /**
   * Sends a request until its answer is not "busy". Patience is for a service that was there: a wrong address is told soon.
   * @throws {Refusal} when patience runs out, or where repeating can't help because the token or the address is wrong
   */
  async request(path: string, sent: SentRequest = {}): Promise<ApiResponse> {
    const { patience, signal, say } = this.#options;
    const begun = Date.now();
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(path, sent);
      if ('status' in outcome) {
        if (attempt > 0 && --this.#waiting === 0) say('The service answers again.');
        return outcome;
      }
      const backoff = Math.min(maxBackoffMilliseconds, 200 * 2 ** attempt) * (0.5 + Math.random() / 2);
      const pause = Math.max(outcome.retryAfter, backoff);
      const allowed = this.#wasThere ? patience : Math.min(patience, firstPatienceMilliseconds);
      if (Date.now() + pause > begun + allowed) throw this.#giveUp(outcome);
      if (attempt === 0 && ++this.#waiting === 1) say(`Waiting for the service: ${outcome.reason}.`);
      await sleep(pause, undefined, { signal });
    }
  }

  #giveUp({ reason }: Postponement): Refusal {
    const { url, patience } = this.#options;
    if (this.#wasThere) return new Refusal(`${url} was busy or away for ${patience / 1000} s: ${reason}.`);
    return new Refusal(
      `Nothing answers at ${url}: ${reason}. Start the service, or say with --url or ENTRYWAY_URL where it is.`,
    );
  }

  async #attempt(
    path: string,
    { body, key, prefer = 'count=none', isText = false }: SentRequest,
  ): Promise<ApiResponse | Postponement> {
    const { url, token, site, session, signal } = this.#options;
    const headers = new Headers({ Authorization: `Bearer ${token}`, Prefer: prefer });
    if (site !== undefined) headers.set('X-Service-Site', site);
    if (session !== undefined) headers.set('Session-Token', session);
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    if (key !== undefined) headers.set('Idempotency-Key', key);
    try {
      const response = await fetch(url + path, {
        ...(body !== undefined && { method: 'POST', body }),
        headers,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(maxRequestMilliseconds)]),
      });
      this.#wasThere = true;
      const text = await response.text();
      const { status } = response;
      // 409: an earlier request with this key is still being answered.
      if (busyStatuses.includes(status) || (key !== undefined && status === 409)) {
        const seconds = Number(response.headers.get('Retry-After'));
        return { retryAfter: seconds > 0 ? seconds * 1000 : 0, reason: `it answers ${status}` };
      }
      return this.#check({
        status,
        headers: response.headers,
        body: isText && status === 200 ? text : parseOrUndefined(text),
      });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Refusal) throw error;
      // A service that takes the connection and is slow is there.
      if (isTimeout(error)) this.#wasThere = true;
      return { retryAfter: 0, reason: explainFetchError(error) };
    }
  }

  /** @throws {Refusal} where every further request would get the same answer */
  #check(response: ApiResponse): ApiResponse {
    const { status, body } = response;
    const { url } = this.#options;
    if (status === 401) assertSuccess(response, 'The service does not know this token (check ENTRYWAY_TOKEN)');
    if (status >= 300 && status < 400)
      throw new Refusal(`${url} redirects to another address: give that one as --url.`);
    if (body === undefined) throw new Refusal(`${url} answers, but not with JSON: it is not an Entryway service.`);
    return response;
  }
}

/** @throws {Refusal} unless the request succeeded. @param failure what could not be done: the message's beginning */
export function assertSuccess({ status, body }: ApiResponse, failure: string): void {
  if (status !== 200) throw new Refusal(`${failure}: ${readProblem(body, status).reason}`);
}

/** What a problem document (RFC 9457) says is wrong, as a whole and with each member. */
export function readProblem(body: unknown, status: number): { reason: string; errors: readonly unknown[] } {
  const { detail, errors = [] } = (body ?? {}) as { detail?: string; errors?: readonly unknown[] };
  return { reason: detail ?? `the service answers ${status}`, errors };
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `fetch` keeps the reason in the cause of its error. */
function explainFetchError(error: unknown): string {
  if (isTimeout(error)) return 'it does not answer';
  const { code, message } = (
    error instanceof Error ? (error.cause ?? error) : { message: reasonOf(error) }
  ) as NodeJS.ErrnoException;
  return message === '' ? (code ?? 'it does not answer') : message;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
