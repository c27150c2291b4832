// Who is asking: the tokens of a request, looked up and found to hold (docs/contract.md §2). Whatever is wrong with a
// credential is one and the same 401, which does not tell why.
import { fail } from '../errors.ts';
import { holds, type CustomerRecord, type Directory, type TokenRecord } from './directory.ts';
import type { LastUsed } from './lastUsed.ts';
import { readToken } from './token.ts';

export interface Credentials {
  readonly directory: Directory;
  readonly lastUsed: LastUsed;
}

/**
 * The access token of an `Authorization` header (RFC 6750 §2.1).
 * @throws unauthenticated where it is missing, malformed, unknown, expired or revoked
 */
export async function authenticate(
  authorization: string | undefined,
  { directory, lastUsed }: Credentials,
  now: Date,
): Promise<TokenRecord> {
  const text = /^Bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1];
  const token = text === undefined ? null : readToken(text);
  if (token === null || token.kind === 'session') refuse();
  const record = await directory.token(token.hash);
  if (record?.kind !== token.kind || !holds(record, now)) refuse();
  lastUsed.note('token', record.id, now);
  return record;
}

/**
 * The customer whom a session token names.
 * @param siteId the site that the session must be of; null where the request is in none, and will be refused for that
 * @throws unauthenticated where it is malformed, unknown there, expired or revoked: never "treated as anonymous"
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
  if (session === null || !holds(session, now)) refuseSession();
  const customer = await directory.customer(siteId, session.customerId);
  if (customer === null) refuseSession();
  lastUsed.note('session', session.id, now, siteId);
  return customer;
}

function refuse(): never {
  fail('unauthenticated', 'A valid access token is needed: "Authorization: Bearer <token>".');
}

function refuseSession(): never {
  fail(
    'unauthenticated',
    'The session token is not valid. Sign the customer in again, or send the request without it.',
  );
}
