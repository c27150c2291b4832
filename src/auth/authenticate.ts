// Authenticates the tokens of a request (docs/contract.md §2). Whatever is wrong with a credential, the answer is the same
// 401, so that it does not reveal why.
import { fail } from '../errors.ts';
import { isActive, type CustomerRecord, type Directory, type TokenRecord } from './directory.ts';
import type { LastUsed } from './lastUsed.ts';
import { readToken } from './token.ts';

export interface Credentials {
  readonly directory: Directory;
  readonly lastUsed: LastUsed;
}

/**
 * Authenticates the access token of an `Authorization` header (RFC 6750 §2.1).
 * @throws unauthenticated if it is missing, malformed, unknown, expired or revoked
 */
export async function authenticate(
  authorization: string | undefined,
  { directory, lastUsed }: Credentials,
  now: Date,
): Promise<TokenRecord> {
  const text = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
  const token = text === undefined ? null : readToken(text);
  if (token === null || token.kind === 'session') refuseToken();
  const record = await directory.token(token.hash);
  if (record?.kind !== token.kind || !isActive(record, now)) refuseToken();
  lastUsed.note('token', record.id, now);
  return record;
}

/**
 * Authenticates the customer of a session token. A token that does not hold is refused: its sender is not treated as an
 * anonymous visitor.
 * @param siteId the site that the session must belong to; null if the request names no site of the caller's. Then only the
 *   form of the token is checked, and the result is null: the request is going to be refused for its site.
 * @throws unauthenticated if it is malformed, unknown in the site, expired or revoked
 */
export async function authenticateCustomer(
  sessionToken: string,
  siteId: string | null,
  { directory, lastUsed }: Credentials,
  now: Date,
): Promise<CustomerRecord | null> {
  const token = readToken(sessionToken);
  if (token?.kind !== 'session') refuseSession();
  if (siteId === null) return null;
  const session = await directory.session(siteId, token.hash);
  if (session === null || !isActive(session, now)) refuseSession();
  const customer = await directory.customer(siteId, session.customerId);
  if (customer === null) refuseSession();
  lastUsed.note('session', session.id, now, siteId);
  return customer;
}

function refuseToken(): never {
  fail('unauthenticated', 'A valid access token is needed: "Authorization: Bearer <token>".');
}

function refuseSession(): never {
  fail(
    'unauthenticated',
    'The session token is not valid. Sign the customer in again, or send the request without it.',
  );
}
