// The token that a person pasted. It is kept in the tab's session storage, where the other pages look for it, too, and is sent in
// headers alone.
import { forgetEverywhere, keepCredential, readCredential } from '../../shared/credentials.ts';

export type TokenKind = 'master' | 'public' | 'user';

export interface Session {
  readonly token: string;
  readonly kind: TokenKind;
  /** The site that a user token works on; null: the token's own. */
  readonly site: string | null;
}

/** The kind of a token, by its prefix; null if it is no access token. */
export function readKind(token: string): TokenKind | null {
  return (/^ew_(master|public|user)_[0-9A-Za-z]+$/.exec(token)?.[1] as TokenKind | undefined) ?? null;
}

/** The session of this tab: by the token that was entered here or on another page. Null: there is none, or its site is not named. */
export function loadSession(): Session | null {
  const [token, site] = [readCredential('token'), readCredential('site')];
  const kind = readKind(token);
  if (kind === null || (kind === 'user' && site === '')) return null;
  return { token, kind, site: kind === 'user' ? site : null };
}

/** Keeps a session for this tab; null forgets it, and all that the pages stored, in every tab with its token. */
export function storeSession(session: Session | null): void {
  if (session === null) {
    forgetEverywhere();
    return;
  }
  keepCredential('token', session.token);
  keepCredential('site', session.site ?? '');
}
