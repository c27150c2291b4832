// How the commands over HTTP ask: a request is repeated while the service is busy or does not answer, and a refusal is a message.
import { parseJson, readMembers } from '../../../typescript/src/problem.ts';
import { NoAnswer, Transport, type Outcome, type TextAnswer } from '../../../typescript/src/transport.ts';
import { Refusal } from '../terminal/refusal.ts';

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

/** A request may wait as long as the service works on it. */
const timeout = 120_000;
const maxBackoff = 10_000;
/** How long a service that was never there is waited for: long enough for one that is being started. */
const firstPatienceMilliseconds = 5_000;

export class ApiClient {
  readonly #options: ApiClientOptions;
  readonly #transport: Transport;
  /** How many requests wait for a service that is busy or away. */
  #waiting = 0;
  /** Whether somebody was at the address: answered, or took a connection. A service that takes one and is slow is there. */
  #wasThere = false;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    const { url, token, site, session } = options;
    this.#transport = new Transport({ url, token, site, session, timeout, request: { redirect: 'manual' } });
  }

  /**
   * Sends a request until its answer is not "busy". Patience is for a service that was there: a wrong address is told soon.
   * @throws {Refusal} when patience runs out, or where repeating can't help because the token or the address is wrong
   */
  async request(
    path: string,
    { body, key, prefer = 'count=none', isText = false }: SentRequest = {},
  ): Promise<ApiResponse> {
    const { patience, signal, say } = this.#options;
    const begun = Date.now();
    let repeated = 0;
    const goesOn = (outcome: Outcome, pause: number): boolean => {
      this.#wasThere ||= !(outcome instanceof NoAnswer) || outcome.why.wasThere;
      const allowed = this.#wasThere ? patience : Math.min(patience, firstPatienceMilliseconds);
      if (Date.now() + pause > begun + allowed) throw this.#giveUp(outcome);
      if (repeated === 0 && ++this.#waiting === 1) say(`Waiting for the service: ${reasonFor(outcome)}.`);
      repeated += 1;
      return true;
    };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = { method, json: body, idempotencyKey: key, headers: { Prefer: prefer }, signal } as const;
    const answer = await this.#transport.ask(path, sent, { maxBackoff, repeatsConflicts: true, goesOn });
    if (answer instanceof NoAnswer) throw this.#giveUp(answer);
    this.#wasThere = true;
    const response = this.#read(answer, isText);
    if (repeated > 0 && --this.#waiting === 0) say('The service answers again.');
    return response;
  }

  #giveUp(outcome: Outcome): Refusal {
    const { url, patience } = this.#options;
    const reason = reasonFor(outcome);
    if (this.#wasThere) return new Refusal(`${url} was busy or away for ${patience / 1000} s: ${reason}.`);
    return new Refusal(
      `Nothing answers at ${url}: ${reason}. Start the service, or say with --url or ENTRYWAY_URL where it is.`,
    );
  }

  /** @throws {Refusal} where every further request would get the same answer */
  #read({ status, headers, text }: TextAnswer, isText: boolean): ApiResponse {
    const { url } = this.#options;
    const response = { status, headers, body: isText && status === 200 ? text : parseJson(text) };
    if (status === 401) assertSuccess(response, 'The service does not know this token (check ENTRYWAY_TOKEN)');
    if (status >= 300 && status < 400)
      throw new Refusal(`${url} redirects to another address: give that one as --url.`);
    if (response.body === undefined)
      throw new Refusal(`${url} answers, but not with JSON: it is not an Entryway service.`);
    return response;
  }
}

/** Why a request is repeated. */
function reasonFor(outcome: Outcome): string {
  if (!(outcome instanceof NoAnswer)) return `it answers ${outcome.status}`;
  return outcome.why.isLate ? 'it does not answer' : outcome.why.reason;
}

/** @throws {Refusal} unless the request succeeded. @param failure what could not be done: the message's beginning */
export function assertSuccess({ status, body }: ApiResponse, failure: string): void {
  if (status !== 200) throw new Refusal(`${failure}: ${readProblem(body, status).reason}`);
}

/** What a problem document (RFC 9457) says is wrong, as a whole and with each member. */
export function readProblem(body: unknown, status: number): { reason: string; errors: readonly unknown[] } {
  const { detail, errors } = readMembers(body);
  return { reason: detail ?? `the service answers ${status}`, errors };
}
