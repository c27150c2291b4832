// Sends requests to the service that serves the console, with the token of the person's session in a header.
import {
  isSuccess,
  NoAnswer,
  unrepeated,
  Transport,
  type Answer,
  type Method,
  type Sent as TransportSent,
} from '../../../clients/typescript/src/transport.ts';
import { readProblem, unreachable } from './problem.ts';
import type { Session } from './session.ts';
import type { Json } from './types.ts';

/** What a request of the console has: the console repeats none by itself, and shows what became of each. */
export type Sent = Pick<TransportSent, 'query' | 'headers' | 'signal'> & { readonly body?: Json };

export type Send = (method: Method, path: string, sent?: Sent) => Promise<Answer>;

/** Where the service is: the page's address without /console. */
export function serviceBase(): string {
  return location.origin + location.pathname.replace(/\/console(\/.*)?$/, '');
}

/** How requests with a token are sent. An answer that takes long is waited for. */
function createTransport(token: string, site: string | null): Transport {
  try {
    return new Transport({
      url: serviceBase(),
      token,
      site: site ?? undefined,
      timeout: Infinity,
      // A list that the browser kept must not hide what changed.
      request: { cache: 'no-store', credentials: 'omit' },
    });
  } catch {
    throw unreachable();
  }
}

/**
 * Sends a request as a session, and once more with another token where the service refuses the first and there is another.
 * @throws Problem as for a request without an answer, if the token or the site cannot be sent in a header
 */
export async function sendAs<Result extends { readonly status: number } | NoAnswer>(
  { keys, site }: Session,
  send: (transport: Transport) => Promise<Result>,
): Promise<Result> {
  const token = await keys.read();
  const result = await send(createTransport(token, site));
  if (result instanceof NoAnswer || result.status !== 401) return result;
  const other = await keys.replace(token);
  return other === null ? result : send(createTransport(other, site));
}

/** A function that sends requests as a session. It throws a Problem for whatever is not a success. */
export function createSend(session: Session): Send {
  return async (method, to, sent = {}) => {
    const outcome = await sendAs(session, (transport) => transport.ask(to, { ...sent, method }, unrepeated));
    if (outcome instanceof NoAnswer) throw unreachable();
    const { headers, text } = outcome;
    if (!isSuccess(outcome)) throw readProblem(outcome);
    return { body: text === '' ? null : (JSON.parse(text) as unknown), headers };
  };
}
