// The token that a person pasted. It is kept in the tab's session storage, and is sent in headers alone.

export type TokenKind = 'master' | 'public' | 'user';

export interface Session {
  readonly token: string;
  readonly kind: TokenKind;
  /** The site that a user token works on; null: the token's own. */
  readonly site: string | null;
}

const key = 'entryway.session';

/** The kind of a token, by its prefix; null if it is no access token. */
export function readKind(token: string): TokenKind | null {
  return (/^ew_(master|public|user)_[0-9A-Za-z]+$/.exec(token)?.[1] as TokenKind | undefined) ?? null;
}

/** The headers that say who asks. */
export function identify({ token, site }: Session): Record<string, string> {
  return { Authorization: `Bearer ${token}`, ...(site !== null && { 'X-Service-Site': site }) };
}

/** The session of this tab; null: nobody is signed in. */
export function loadSession(): Session | null {
  const stored = sessionStorage.getItem(key);
  return stored === null ? null : (JSON.parse(stored) as Session);
}

/** Keeps a session for this tab, or forgets it and all that the console stored. */
export function storeSession(session: Session | null): void {
  if (session === null) sessionStorage.clear();
  else sessionStorage.setItem(key, JSON.stringify(session));
}
