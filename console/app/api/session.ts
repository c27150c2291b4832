// By what a person works on a site: a token that was pasted, or a sign-in, whose tokens are replaced while it lasts.
import { keepCredential, readCredential } from '../../shared/credentials.ts';
import type { MySite, TokenKind, User } from './types.ts';

/** Gives requests their token. */
export interface Keys {
  readonly read: () => Promise<string>;
  /** A token in place of one that the service refused; null: there is none. */
  readonly replace: (refused: string) => Promise<string | null>;
}

export interface Session {
  readonly kind: TokenKind;
  /** The site that a user works on; null: the token's own. */
  readonly site: string | null;
  readonly keys: Keys;
  /** Who signed in with a password; null: a token was pasted. */
  readonly user: User | null;
  /** The sites that this user may work on; empty where a token was pasted. */
  readonly sites: readonly MySite[];
}

/** The kind of a token, by its prefix; null if it is no access token. */
export function readKind(token: string): TokenKind | null {
  return (/^ew_(master|public|user)_[0-9A-Za-z]+$/.exec(token)?.[1] as TokenKind | undefined) ?? null;
}

/** The session of a token that was pasted. */
export function sessionOfToken(token: string, kind: TokenKind, site: string): Session {
  const keys = { read: () => Promise.resolve(token), replace: () => Promise.resolve(null) };
  return { kind, site: kind === 'user' ? site : null, keys, user: null, sites: [] };
}

/** The session of this tab: by the token that was entered here or on another page. Null: there is none, or its site is not named. */
export function loadSession(): Session | null {
  const [token, site] = [readCredential('token'), readCredential('site')];
  const kind = readKind(token);
  if (kind === null || (kind === 'user' && site === '')) return null;
  return sessionOfToken(token, kind, site);
}

/** Keeps the token and the site that were pasted for this tab. */
export function keepToken(token: string, site: string): void {
  keepCredential('token', token);
  keepCredential('site', site);
}

/** Keeps the site of a sign-in for this tab; of the sign-in itself nothing is stored. */
export function keepSite(site: string): void {
  keepCredential('site', site);
}
