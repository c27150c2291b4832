// The service, as the commands that move content speak to it: over HTTP, with patience where it is busy or away.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../run.ts';

/** Where the service is, and as whom to ask. */
export interface Connection {
  readonly url: string;
  readonly token: string;
  readonly site: string | undefined;
  /** Milliseconds after which a service that does not answer is given up. */
  readonly patience: number;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
  /** Told once when the service stops answering, and again when it answers. */
  readonly onTrouble: (trouble: string | null) => void;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface Request {
  readonly method?: 'GET' | 'POST';
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that mean "later", besides those that always do. */
  readonly later?: readonly number[];
}

/** An error as the service tells it (RFC 9457). */
export interface Problem {
  readonly status?: number;
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly unknown[];
}

const busy: readonly number[] = [429, 502, 503, 504];
const longestAnswer = 120_000;
const longestPause = 10_000;

export class Service {
  readonly #connection: Connection;
  #troubled = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get url(): string {
    return this.#connection.url;
  }

  /**
   * Asks until there is an answer other than "later". Whoever asks to write must name the request by an Idempotency-Key:
   * it is sent again where the answer was lost.
   * @throws {Refusal} where patience runs out, or the token does not do
   */
  async ask(path: string, request: Request = {}): Promise<Answer> {
    const until = Date.now() + this.#connection.patience;
    let isLate = false;
    try {
      for (let attempt = 0; ; attempt += 1) {
        const outcome = await this.#attempt(path, request);
        if ('status' in outcome) return outcome;
        const pause = Math.max(outcome.pause, Math.min(longestPause, 200 * 2 ** attempt) * (0.5 + Math.random() / 2));
        if (Date.now() + pause > until) throw new Refusal(this.#givenUp(outcome.why));
        if (!isLate) this.#late(1, outcome.why);
        isLate = true;
        await sleep(pause, undefined, { signal: this.#connection.signal });
      }
    } finally {
      if (isLate) this.#late(-1, null);
    }
  }

  #late(change: number, why: string | null): void {
    const before = this.#troubled;
    this.#troubled += change;
    if (before === 0 && why !== null) this.#connection.onTrouble(why);
    if (this.#troubled === 0) this.#connection.onTrouble(null);
  }

  #givenUp(why: string): string {
    return `${this.url} did not do what it was asked for within ${this.#connection.patience / 1000} s: ${why}.`;
  }

  async #attempt(path: string, request: Request): Promise<Answer | { pause: number; why: string }> {
    const { signal } = this.#connection;
    try {
      const response = await fetch(this.url + path, {
        method: request.method ?? 'GET',
        headers: { ...this.#headers(), ...request.headers },
        ...(request.body !== undefined && { body: request.body }),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(longestAnswer)]),
      });
      const text = await response.text();
      if (busy.includes(response.status) || request.later?.includes(response.status)) {
        return { pause: pauseOf(response.headers), why: `it answers ${response.status}` };
      }
      const answer = { status: response.status, headers: response.headers, body: parsed(text) };
      this.#check(answer);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Refusal) throw error;
      return { pause: 0, why: reasonOf(error) };
    }
  }

  #headers(): Record<string, string> {
    const { token, site } = this.#connection;
    return {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      ...(site !== undefined && { 'X-Service-Site': site }),
    };
  }

  /** @throws {Refusal} where no further request would fare better */
  #check({ status, body }: Answer): void {
    const detail = problemOf(body).detail ?? '';
    if (status === 401) throw new Refusal(`The service does not know this token: ${detail} Check ENTRYWAY_TOKEN.`);
    if (status >= 300 && status < 400) throw new Refusal(`${this.url} sends on elsewhere: give the address itself.`);
    if (body === undefined && status !== 204) throw new Refusal(`${this.url} answers, but is no Entryway: no JSON.`);
  }
}

/** @throws {Refusal} for an answer other than the one that is expected */
export function expectStatus(answer: Answer, expected: number, what: string): void {
  if (answer.status !== expected) throw new Refusal(`${what}: ${reasonIn(answer)}`);
}

/** What an answer says is wrong. */
export function reasonIn({ status, body }: Answer): string {
  return problemOf(body).detail ?? `the service answers ${status}.`;
}

/** The members of a problem, as far as a body is one. */
export function problemOf(body: unknown): Problem {
  return typeof body === 'object' && body !== null ? body : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function pauseOf(headers: Headers): number {
  const seconds = Number(headers.get('Retry-After'));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.name === 'TimeoutError' ? 'it does not answer' : error.message;
  const { code } = cause as NodeJS.ErrnoException;
  return cause.message === '' ? (code ?? error.message) : cause.message;
}
