// Remembers a sign-in by a provider while its user is there (docs/contract.md §14.8): in a cookie, encrypted with a key of the
// provider's row, so that it belongs to one browser and one provider.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { RequestHeaders } from '../../../auth/identify.ts';
import { decryptText, encryptText } from '../../../auth/keyHolder.ts';
import { readCookieValues } from '../cookies.ts';

/** The time that somebody has at the provider, in seconds. */
export const attemptSeconds = 600;

const attemptShape = z.object({
  state: z.string(),
  nonce: z.string(),
  /** The verifier of PKCE (RFC 7636 §4.1). */
  verifier: z.string(),
  /** The address to which the browser comes back. */
  target: z.string(),
  /** The cookie of a browser that was in before: with what other sites cause, it is not sent. */
  browser: z.string().nullable(),
  /** In milliseconds. */
  endsAt: z.number(),
});

export type Attempt = z.output<typeof attemptShape>;

/** Begins an attempt. */
export function beginAttempt(target: string, browser: string | null, now: Date): Attempt {
  const random = (): string => randomBytes(32).toString('base64url');
  const secrets = { state: random(), nonce: random(), verifier: random() };
  return { ...secrets, target, browser, endsAt: now.getTime() + attemptSeconds * 1_000 };
}

/** Writes the value of an attempt's cookie. */
export function sealAttempt(attempt: Attempt, { key }: { readonly key: Uint8Array }): string {
  return encryptText(key, JSON.stringify(attempt)).toString('base64url');
}

/** Reads the attempt of a request's cookie; null if it has none that was begun with this provider, or it is over. */
export function readAttempt(headers: RequestHeaders, { key }: { readonly key: Uint8Array }, now: Date): Attempt | null {
  for (const value of readCookieValues(headers, 'oidc')) {
    const attempt = unseal(value, key);
    if (attempt !== null && attempt.endsAt > now.getTime()) return attempt;
  }
  return null;
}

function unseal(value: string, key: Uint8Array): Attempt | null {
  try {
    return attemptShape.parse(JSON.parse(decryptText(key, Buffer.from(value, 'base64url'))));
  } catch {
    return null;
  }
}
