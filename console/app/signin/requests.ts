// The requests to /auth (docs/contract.md §14.8): they alone are sent with the cookie of the sign-in, and none with a token but those
// that say so.
import { parseJson } from '../../../clients/typescript/src/problem.ts';
import { isSuccess, type TextAnswer } from '../../../clients/typescript/src/transport.ts';
import { serviceBase } from '../api/client.ts';
import { Problem, readProblem, unreachable } from '../api/problem.ts';
import type { User } from '../api/types.ts';

/** A new token of a sign-in. */
export interface Issued {
  readonly token: string;
  readonly user: User;
  /** For how many milliseconds it is good, whatever the clock of this computer says. */
  readonly lifetime: number;
}

/** Sends a request. @throws Problem for whatever is not a success */
async function ask(path: string, init: RequestInit): Promise<TextAnswer> {
  const answer = await fetch(`${serviceBase()}${path}`, { cache: 'no-store', credentials: 'same-origin', ...init })
    .then(async (response) => ({
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    }))
    .catch(() => {
      throw unreachable();
    });
  if (!isSuccess(answer)) throw readProblem(answer);
  return answer;
}

function post(path: string, body: object, token?: string): Promise<TextAnswer> {
  const headers = {
    'Content-Type': 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  return ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

function readIssued({ text, headers }: TextAnswer): Issued {
  const body = parseJson(text) as { readonly token: string; readonly expires_at: string; readonly user: User };
  const sentAt = Date.parse(headers.get('Date') ?? '');
  const lifetime = Date.parse(body.expires_at) - (Number.isNaN(sentAt) ? Date.now() : sentAt);
  return { token: body.token, user: body.user, lifetime };
}

/** How people may sign in. */
export interface WaysIn {
  readonly password: boolean;
  readonly providers: readonly ProviderWay[];
}

/** A provider at which people may sign in. */
export interface ProviderWay {
  readonly id: string;
  readonly name: string;
}

/** How people may sign in; by nothing, where the service has no sign-in. */
export async function findWaysIn(): Promise<WaysIn> {
  const body = await ask('/auth', { method: 'GET' })
    .then(({ text }) => parseJson(text) as Partial<WaysIn> | undefined)
    .catch(() => undefined);
  return { password: body?.password === true, providers: body?.providers ?? [] };
}

/** The longest path to come back to: the service takes no longer one. */
const maxReturn = 1_500;

/** The address at which a sign-in by a provider begins. It ends at this page. */
export function providerAddress({ id }: ProviderWay): string {
  const { pathname, hash } = location;
  const back = encodeURIComponent(pathname + hash);
  return `${serviceBase()}/auth/oidc/${id}?return=${back.length > maxReturn ? encodeURIComponent(pathname) : back}`;
}

/** Signs in. */
export async function signInWith(email: string, password: string): Promise<Issued> {
  return readIssued(await post('/auth/sign-in', { email, password }));
}

/** A new token of the browser's sign-in; null: there is none, or it has ended. */
export async function renewToken(): Promise<Issued | null> {
  try {
    return readIssued(await post('/auth/token', {}));
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return null;
    throw error;
  }
}

/** Ends the browser's sign-in. One that had ended already is no problem. */
export async function endSignIn(
  also: { readonly everywhere?: boolean; readonly tokens?: boolean } = {},
): Promise<void> {
  try {
    await post('/auth/sign-out', also);
  } catch (error) {
    if (!(error instanceof Problem && error.status === 401)) throw error;
  }
}

/** Changes the password of whom a token of a sign-in belongs to. */
export async function changePassword(token: string, current: string, password: string): Promise<void> {
  await post('/auth/password', { current, password }, token);
}

/** Uses a link once: sets a password, or makes a new user who is invited. @param password null: asks what the link is for, and is refused */
export async function openLink(token: string, name: string | null, password: string | null): Promise<void> {
  await post('/auth/invitation', { token, ...(name !== null && { name }), ...(password !== null && { password }) });
}

/** Accepts an invitation as whom a token of a sign-in belongs to. */
export async function acceptInvitation(invitation: string, token: string): Promise<void> {
  await post('/auth/invitation', { token: invitation }, token);
}
