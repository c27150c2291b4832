// What identifies the caller: entered by hand, and kept in the session storage of each tab, to which other tabs of the browser session
// hand it over (handOver.ts). It never becomes part of a URL. Of a user who signed in with a password only the site is kept: the
// console has the token in its memory, and gets the next one by the cookie.
import { answerOthers, askOthers, tellToForget } from './handOver.ts';

/** The credentials by name, with the header that carries each (docs/contract.md §2). */
const headers = { token: 'Authorization', site: 'X-Service-Site', session: 'Session-Token' } as const;

export type CredentialName = keyof typeof headers;
export const credentialNames = Object.keys(headers) as CredentialName[];

/** The headers of what was entered, with words in place of what is secret: none of them is empty. */
export function exampleHeaders(): Record<string, string> {
  const [site, session] = [readCredential('site'), readCredential('session')];
  return {
    [headers.token]: 'Bearer <your token>',
    ...(site !== '' && { [headers.site]: site }),
    ...(session !== '' && { [headers.session]: '<the session>' }),
  };
}

/** Told to `window` when a credential was changed. */
export const changed = 'entryway:credentials';

const storageKey = (name: CredentialName): string => `entryway.${name}`;

// A page to which one comes back is as it was left, with credentials that may have been forgotten since.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

/** The user who is signed in to this page; null: nobody, or by a token that was entered. */
let signedInUser: string | null = null;

/** Notes who is signed in to this page. */
export function noteSignIn(user: string): void {
  signedInUser = user;
}

/** By what this tab acts, a sign-in or a token; empty: by nothing. */
function holder(): string {
  return signedInUser === null ? readCredential('token') : `sign-in ${signedInUser}`;
}

/** Whether this tab has a token, or somebody who is signed in. */
export function isHeld(): boolean {
  return holder() !== '';
}

/** Reads a credential; empty if it was not entered. */
export function readCredential(name: CredentialName): string {
  return sessionStorage.getItem(storageKey(name)) ?? '';
}

/** Keeps a credential until the tab is closed; an empty one is forgotten. */
export function keepCredential(name: CredentialName, value: string): void {
  const text = value.trim();
  if (text === readCredential(name)) return;
  if (text === '') sessionStorage.removeItem(storageKey(name));
  else sessionStorage.setItem(storageKey(name), text);
  window.dispatchEvent(new Event(changed));
}

/** Forgets the credentials, and all that the pages stored, in this tab alone. */
export function forgetHere(): void {
  signedInUser = null;
  sessionStorage.clear();
  window.dispatchEvent(new Event(changed));
}

/** Forgets the credentials, and all that the pages stored, in this tab and in each one with the same token or sign-in. */
export function forgetEverywhere(): void {
  if (isHeld()) tellToForget(holder());
  forgetHere();
}

/** Takes over the credentials of another tab, if this one has none. */
export async function takeOver(): Promise<void> {
  if (isHeld()) return;
  const given = await askOthers();
  if (given === null || isHeld()) return;
  for (const name of credentialNames) keepCredential(name, given[name] ?? '');
}

answerOthers({
  read: () => {
    const entered = credentialNames.map((name) => [name, readCredential(name)] as const);
    return isHeld() ? Object.fromEntries(entered) : null;
  },
  forget: (forgotten) => {
    if (holder() === forgotten) forgetHere();
  },
});

/** The headers of a request: only those that were entered. */
export function credentialHeaders(): Record<string, string> {
  const entered = credentialNames.map((name) => [name, readCredential(name)] as const).filter(([, value]) => value);
  return Object.fromEntries(
    entered.map(([name, value]) => [headers[name], name === 'token' ? `Bearer ${value}` : value]),
  );
}

/** How long after the last change credentials are taken as entered. */
const settleMilliseconds = 400;

/** Calls a function whenever credentials were changed, once for what is typed at a stretch. @returns ends that */
export function onSettled(listener: () => void): () => void {
  let timer: number | undefined;
  const wait = (): void => {
    window.clearTimeout(timer);
    timer = window.setTimeout(listener, settleMilliseconds);
  };
  window.addEventListener(changed, wait);
  return () => {
    window.clearTimeout(timer);
    window.removeEventListener(changed, wait);
  };
}
