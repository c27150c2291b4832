// The cookies of the console (docs/contract.md §14.8): one is the sign-in, another tells a browser in which its user was signed in
// before, and the third is what a sign-in by a provider remembers. All are sent to /auth alone, and but for the third never by a page of
// another origin: to that one the provider leads back.
import type { RequestHeaders } from '../../auth/identify.ts';
import { readToken } from '../../auth/tokens.ts';
import { browserLifetime, longestLifetime, type NewSignIn, type SentCookie } from './stored.ts';

const names = { signin: 'ew_sign_in', browser: 'ew_browser', oidc: 'ew_oidc' } as const;
type CookieKind = keyof typeof names;
/** The kinds whose values are tokens. */
type TokenCookie = Exclude<CookieKind, 'oidc'>;

/** Reads a cookie (RFC 6265 §4.2); null if the request has none that this service has made. */
export function readCookie(headers: RequestHeaders, kind: TokenCookie): SentCookie | null {
  for (const value of readCookieValues(headers, kind)) {
    const cookie = readCookieValue(value, kind);
    if (cookie !== null) return cookie;
  }
  return null;
}

/** Reads the value of a cookie; null if this service has not made it. */
export function readCookieValue(value: string, kind: TokenCookie): SentCookie | null {
  const token = readToken(value);
  return token?.kind === kind ? { value, hash: new Uint8Array(Buffer.from(token.hash, 'hex')) } : null;
}

/** The values of all cookies of a kind: a page of another host of the domain may have set more. */
export function readCookieValues(headers: RequestHeaders, kind: CookieKind): string[] {
  const pairs = (headers['cookie'] ?? []).flatMap((header) => header.split(';'));
  return pairs.flatMap((pair) => {
    const [name, value = ''] = pair.trim().split('=', 2);
    return name === names[kind] ? [value] : [];
  });
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
  const [path, sameSite] = kind === 'oidc' ? [`${place.path}/oidc`, 'Lax'] : [place.path, 'Strict'];
  const attributes = [`Path=${path}`, `Max-Age=${seconds}`, 'HttpOnly', `SameSite=${sameSite}`];
  return [`${names[kind]}=${value}`, ...attributes, ...(place.isSecure ? ['Secure'] : [])].join('; ');
}

/** Writes the cookies of a new sign-in. */
export function writeSignIn({ cookie, browserCookie }: NewSignIn, place: CookiePlace): string[] {
  const seconds = (milliseconds: number): number => milliseconds / 1_000;
  return [
    writeCookie('signin', cookie, seconds(longestLifetime), place),
    writeCookie('browser', browserCookie, seconds(browserLifetime), place),
  ];
}
