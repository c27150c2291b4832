// Sends requests to the service that serves the console, with the person's token in a header.
import { readProblem, unreachable } from './problem.ts';
import { identify, type Session } from './session.ts';
import type { Json } from './types.ts';

export interface Sent {
  readonly query?: Readonly<Record<string, string | null | undefined>>;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  /** The parsed body; null if there is none. Each caller knows what the route answers with. */
  readonly body: unknown;
  readonly headers: Headers;
}

export type Send = (method: string, path: string, sent?: Sent) => Promise<Answer>;

/** Where the service is: the page's address without /console. */
function serviceBase(): string {
  return location.origin + location.pathname.replace(/\/console(\/.*)?$/, '');
}

/**
 * Makes a path, with each value encoded: path`/channels/${id}`.
 * @throws Error for the values `.` and `..`, which browsers take out of an address, encoded or not
 */
export function path(parts: TemplateStringsArray, ...values: readonly string[]): string {
  const step = values.find((value) => value === '.' || value === '..');
  if (step !== undefined) {
    throw new Error(`A browser cannot ask for the id “${step}”: in an address it is a step between folders.`);
  }
  return parts.reduce((made, part, index) => made + encodeURIComponent(values[index - 1] ?? '') + part);
}

/** The address of a path with its parameters; those that are null or absent are left out. */
export function address(to: string, query: Sent['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (typeof value === 'string') parameters.append(name, value);
  const text = parameters.toString();
  return serviceBase() + to + (text === '' ? '' : `?${text}`);
}

/** A function that sends requests as a session. It throws a Problem for whatever is not a success. */
export function createSend(session: Session): Send {
  return async (method, to, { query, body, headers = {}, signal } = {}) => {
    const response = await fetch(address(to, query), {
      method,
      headers: { ...identify(session), ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      // A list that the browser kept must not hide what changed.
      cache: 'no-store',
      credentials: 'omit',
      signal: signal ?? null,
    }).catch((error: unknown) => {
      throw signal?.aborted === true ? error : unreachable();
    });
    if (!response.ok) throw await readProblem(response);
    const text = await response.text();
    return { body: text === '' ? null : (JSON.parse(text) as unknown), headers: response.headers };
  };
}
