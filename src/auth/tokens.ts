// Creates, parses and authenticates access tokens and session tokens (docs/contract.md §2).
//
// A token is 256 random bits between a prefix that shows its kind and a checksum. Secret scanners can find leaked
// tokens by the prefix, and a mistyped token is refused by its checksum, without a look-up. The 401 says whether a
// token is mistyped, which reveals nothing, or expired, which only its holder can learn; a revoked token gets the same
// answer as one that never existed.
import { createHash, hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { fail } from '../base/errors.ts';
import { andThen, type PromiseOrValue } from '../base/promiseOrValue.ts';
import { tokenKinds } from '../base/redaction.ts';
import type { CustomerActor } from '../rules/actors.ts';
import type { Directory, SessionRecord, TokenRecord } from './directory.ts';
import type { LastUsed } from './lastUsed.ts';

/** The kinds of tokens, those of sessions included. */
export type MintableKind = (typeof tokenKinds)[number];

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;
const checksumLength = 6;
const tokenShape = new RegExp(`^ew_(${tokenKinds.join('|')})_[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** Creates a token and its SHA-256. The token is shown to its owner once; only the hash is stored. */
export function mintToken(kind: MintableKind): { token: string; hash: Uint8Array<ArrayBuffer> } {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`));
  const unchecked = `ew_${kind}_${secret}`;
  const token = unchecked + computeChecksum(unchecked);
  return { token, hash: new Uint8Array(createHash('sha256').update(token).digest()) };
}

/**
 * Reads the kind of a token, and computes its hash in hexadecimal digits; null if its form or its checksum is wrong. The hash
 * needs neither salt nor a slow function, because a token has 256 random bits.
 */
export function readToken(text: string): { kind: MintableKind; hash: string } | null {
  const kind = tokenShape.exec(text)?.[1] as MintableKind | undefined;
  if (kind === undefined) return null;
  const checksum = computeChecksum(text.slice(0, -checksumLength));
  if (!text.endsWith(checksum)) return null;
  return { kind, hash: hash('sha256', text, 'hex') };
}

/** The base 62 digits of a secret. */
function base62(value: bigint): string {
  let text = '';
  for (let rest = value; text.length < secretLength; rest /= 62n) text = base62Digits.charAt(Number(rest % 62n)) + text;
  return text;
}

/** The checksum of a token's text before it, in base 62. */
function computeChecksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text); digits.length < checksumLength; rest = Math.floor(rest / 62)) {
    digits = base62Digits.charAt(rest % 62) + digits;
  }
  return digits;
}

export interface Credentials {
  readonly directory: Directory;
  readonly lastUsed: LastUsed;
  readonly shares: {
    /**
     * Waits for a slot to look up a token that was never found before, for an address. @returns a function that gives
     * it back
     */
    readonly enterUnknown: (network: string) => PromiseOrValue<() => void>;
  };
}

/**
 * Looks up a token or a session. One that was never found before waits for a slot of its address: existing tokens are
 * looked up at once, however many invented ones other callers send.
 * @throws unavailable after too long a wait
 */
function lookUp<Found>(
  hash: string,
  network: string,
  credentials: Credentials,
  find: () => PromiseOrValue<Found>,
): PromiseOrValue<Found> {
  return credentials.directory.knows(hash) ? find() : lookUpUnknown(network, credentials, find);
}

async function lookUpUnknown<Found>(
  network: string,
  { shares }: Credentials,
  find: () => PromiseOrValue<Found>,
): Promise<Found> {
  const leave = await shares.enterUnknown(network);
  try {
    return await find();
  } finally {
    leave();
  }
}

/**
 * Authenticates the access token of an `Authorization` header (RFC 6750 §2.1).
 * @param network the client's address, as it is counted
 * @throws unauthenticated if it is missing, malformed, unknown, expired or revoked; unavailable as `lookUp`
 */
export function authenticate(
  authorization: string | undefined,
  network: string,
  credentials: Credentials,
  now: Date,
): PromiseOrValue<TokenRecord> {
  const text = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1];
  if (text === undefined) refuseToken('absent');
  const token = readToken(text);
  if (token === null) refuseToken('mistyped');
  const { directory, lastUsed } = credentials;
  const found = lookUp(token.hash, network, credentials, () => directory.token(token.hash));
  return andThen(found, (record) => {
    if (record?.kind !== token.kind || record.revokedAt !== null) refuseToken('invalid');
    if (!isActive(record, now)) refuseToken('expired');
    // The use of a sign-in is noted when it gets a new token, which it needs every 15 minutes.
    if (record.sealedKey === null) lastUsed.note('token', record.rowId, now);
    return record;
  });
}

/** Whether a token or session has neither been revoked nor expired. */
export function isActive(record: { expiresAt: Date | null; revokedAt: Date | null }, now: Date): boolean {
  return record.revokedAt === null && (record.expiresAt === null || record.expiresAt > now);
}

/** A customer, and the session that proves its identity. */
export interface SignedIn {
  readonly session: SessionRecord;
  readonly customer: CustomerActor;
}

/**
 * Authenticates the customer of a session token. An invalid token is refused: its sender is not treated as an anonymous
 * visitor.
 * @param siteId the site that the session must belong to; null if the request names no site that the caller may use.
 *   Then only the form of the token is checked, and the result is null: the request will be refused because of its
 *   site.
 * @param network the client's address, as it is counted
 * @throws unauthenticated if it is malformed, unknown in the site, expired or revoked; unavailable as `lookUp`
 */
export async function authenticateCustomer(
  sessionToken: string,
  siteId: string | null,
  network: string,
  credentials: Credentials,
  now: Date,
): Promise<SignedIn | null> {
  const token = readToken(sessionToken);
  if (token?.kind !== 'session') refuseSession();
  if (siteId === null) return null;
  const { directory, lastUsed } = credentials;
  const session = await lookUp(token.hash, network, credentials, () => directory.session(siteId, token.hash));
  if (session === null || !isActive(session, now)) refuseSession();
  const customer = await directory.customer(siteId, session.customerId);
  if (customer === null) refuseSession();
  lastUsed.note('session', session.id, now, siteId);
  return { session, customer };
}

/** The reasons for which an access token is refused, as the response gives them. */
const tokenFaults = {
  mistyped: 'The access token is mistyped or cut off: its checksum does not fit.',
  expired: 'The access token has expired.',
  invalid: 'The access token is not valid.',
};

/** Refuses a request for its access token, with the challenge of RFC 6750 §3. @throws unauthenticated always */
export function refuseToken(fault: keyof typeof tokenFaults | 'absent'): never {
  if (fault === 'absent') fail('unauthenticated', 'An access token is needed: "Authorization: Bearer <token>".');
  const detail = tokenFaults[fault];
  const challenge = `Bearer error="invalid_token", error_description="${detail}"`;
  fail('unauthenticated', { detail, headers: { 'WWW-Authenticate': challenge } });
}

/** Refuses a request for its session token. @throws unauthenticated always */
export function refuseSession(): never {
  fail(
    'unauthenticated',
    'The session token is not valid. Sign the customer in again, or send the request without it.',
  );
}
