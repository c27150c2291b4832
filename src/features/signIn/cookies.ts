// The two cookies of the console (docs/contract.md §14.8): one is the sign-in, the other tells a browser in which its user was
// signed in before. Both are sent to /auth alone, and never by a page of another origin.
import type { RequestHeaders } from '../../auth/identify.ts';
import { readToken } from '../../auth/tokens.ts';

const names = { signin: 'ew_sign_in', browser: 'ew_browser' } as const;
type CookieKind = keyof typeof names;

/** A cookie as it was sent, and its hash. */
export interface SentCookie {
  readonly value: string;
  readonly hash: Uint8Array<ArrayBuffer>;
}

/** Reads a cookie (RFC 6265 §4.2); null if the request has none that this service has made. */
export function readCookie(headers: RequestHeaders, kind: CookieKind): SentCookie | null {
  const pairs = (headers['cookie'] ?? []).flatMap((header) => header.split(';'));
  for (const pair of pairs) {
    const [name, value = ''] = pair.trim().split('=', 2);
    if (name !== names[kind]) continue;
    const token = readToken(value);
    if (token?.kind === kind) return { value, hash: new Uint8Array(Buffer.from(token.hash, 'hex')) };
  }
  return null;
}

/** The place of cookies: the path of /auth as browsers see it, and whether they may go over plain http. */
export interface CookiePlace {
  readonly path: string;
  readonly isSecure: boolean;
}

/**
 * Finds the place of a request's cookies.
 * @param origin the header `Origin`
 */
export function placeCookies(publicUrl: string | undefined, origin: string | undefined): CookiePlace {
  if (publicUrl === undefined) return { path: '/auth', isSecure: origin?.startsWith('https:') ?? false };
  const { pathname, protocol } = new URL(publicUrl);
  return { path: `${pathname.replace(/\/+$/, '')}/auth`, isSecure: protocol === 'https:' };
}

/** Writes a cookie for the header `Set-Cookie`. @param seconds its lifetime; 0 takes it away */
export function writeCookie(kind: CookieKind, value: string, seconds: number, place: CookiePlace): string {
  const attributes = [`Path=${place.path}`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict'];
  return [`${names[kind]}=${value}`, ...attributes, ...(place.isSecure ? ['Secure'] : [])].join('; ');
}
