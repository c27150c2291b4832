// The rows of sign-ins, their tokens and the browsers they were made in (docs/contract.md §14.8), within `manage`: a sign-in has
// a record in the audit log when it begins and when somebody ends it; its tokens have none.
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { sealKey } from '../../auth/keyHolder.ts';
import { mintToken } from '../../auth/tokens.ts';
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import type { SignIn } from '../../generated/prisma/client.ts';
import { auditSignIn } from '../../management/auditedMembers.ts';
import { manage, type ManagedChange } from '../../management/manage.ts';
import { describeRevoked } from '../../management/tokens/describeRevoked.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import type { Context } from '../../resolvers/context.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const tokenLifetime = 15 * minute;
/** A sign-in ends so long after its last use, and so long after it began. */
const idleLifetime = day;
export const longestLifetime = 30 * day;
export const browserLifetime = 365 * day;
/** The most living tokens of a sign-in, and browsers of a user: older ones give way. */
const maxTokens = 100;
const maxBrowsers = 50;

/** A new access token of a sign-in. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Locks a user, so that what is stored about its sign-ins and its password is decided one after the other. @returns whether it exists */
export async function lockUser(db: TransactionClient, userId: string): Promise<boolean> {
  const rows = await db.$queryRaw<
    unknown[]
  >`SELECT 1 AS held FROM users u WHERE u.id = ${userId}::uuid FOR NO KEY UPDATE`;
  return rows.length > 0;
}

/** The end of a sign-in that is used now. */
export function expiryOf(createdAt: Date, now: Date): Date {
  return new Date(Math.min(now.getTime() + idleLifetime, createdAt.getTime() + longestLifetime));
}

/** A sign-in that begins. */
interface NewSignInRow {
  readonly id: string;
  readonly userId: string;
  /** The provider by which it is made; absent for a password or a link. */
  readonly providerId?: string | null;
}

/** Begins a sign-in of a locked user. @returns its cookie, its first token, and its record */
export async function beginSignIn(
  db: TransactionClient,
  { id, userId, providerId = null }: NewSignInRow,
  now: Date,
): Promise<{ readonly cookie: string; readonly issued: IssuedToken; readonly change: ManagedChange }> {
  const { token: cookie, hash } = mintToken('signin');
  const data = { id, userId, providerId, hash, createdAt: now, lastUsedAt: now, expiresAt: expiryOf(now, now) };
  const signIn = await db.signIn.create({ data });
  const issued = await issueToken(db, signIn, cookie, now);
  const change = { siteId: noSite, type: 'sign_in', subject: id, action: 'created', before: null } as const;
  return { cookie, issued, change: { ...change, after: auditSignIn(signIn) } };
}

/** Makes a token of a sign-in that is locked, or new. @param cookie the key of the sign-in is made from it, and stored nowhere */
export async function issueToken(
  db: TransactionClient,
  { id, userId, expiresAt: end }: SignIn,
  cookie: string,
  now: Date,
): Promise<IssuedToken> {
  const { token, hash } = mintToken('user');
  const key = createHash('sha256').update('key of a sign-in').update(cookie).digest('hex');
  const expiresAt = new Date(Math.min(now.getTime() + tokenLifetime, end.getTime()));
  await db.$executeRaw`DELETE FROM tokens WHERE sign_in_id = ${id}::uuid AND id NOT IN (
    SELECT t.id FROM tokens t WHERE t.sign_in_id = ${id}::uuid AND t.expires_at > ${now.toISOString()}::timestamptz
    ORDER BY t.id DESC LIMIT ${maxTokens - 1})`;
  const bound = { kind: 'user', userId, signInId: id, sealedKey: sealKey(key, token) } as const;
  await db.token.create({ data: { ...bound, id: uuidv7(), hash, createdAt: now, expiresAt } });
  return { token, expiresAt };
}

/** The living sign-in with a cookie's hash, and its user. */
export interface LivingSignIn {
  readonly signIn: SignIn;
  readonly user: { readonly id: string; readonly email: string; readonly name: string | null };
}

/** Notes the use of the living sign-in with a cookie, and gives it a token; null if there is none. */
export function renewSignIn(
  context: Context,
  cookie: { readonly value: string; readonly hash: Uint8Array<ArrayBuffer> },
): Promise<(LivingSignIn & { readonly issued: IssuedToken }) | null> {
  const { now } = context;
  return manage(context, async ({ db }) => {
    const { hash, value } = cookie;
    // The end of the sign-in either came before, or waits, and then ends the new token with it.
    await db.$queryRaw`SELECT 1 AS held FROM sign_ins s WHERE s.hash = ${hash} FOR UPDATE`;
    const found = await db.signIn.findUnique({ where: { hash, expiresAt: { gt: now } }, include: { user: true } });
    if (found === null) return { result: null, changes: [] };
    const { user, ...row } = found;
    const data = { lastUsedAt: now, expiresAt: expiryOf(row.createdAt, now) };
    const signIn = await db.signIn.update({ where: { id: row.id }, data });
    const issued = await issueToken(db, signIn, value, now);
    return { result: { signIn, user, issued }, changes: [] };
  });
}

/** Revokes the personal tokens of a locked user. */
export async function revokePersonalTokens(db: TransactionClient, userId: string, now: Date): Promise<ManagedChange[]> {
  const where = { userId, signInId: null, revokedAt: null };
  return describeRevoked(await db.token.updateManyAndReturn({ where, data: { revokedAt: now } }));
}

/** Whether the browser with a cookie was in as a user before. @param userId null for no user */
export async function isKnownBrowser(
  db: Pick<TransactionClient, 'knownBrowser'>,
  userId: string | null,
  cookie: { readonly hash: Uint8Array<ArrayBuffer> } | null,
  now: Date,
): Promise<boolean> {
  const hash = cookie?.hash ?? new Uint8Array();
  const found = await db.knownBrowser.count({ where: { userId: userId ?? nobody, hash, expiresAt: { gt: now } } });
  return found > 0;
}

/** The id of no user: the look-ups of unknown addresses take the statements of known ones. */
export const nobody = '00000000-0000-0000-0000-000000000000';

/** Remembers the browser in which a locked user signs in. @returns its cookie: the one that it has as this user's, or a new one */
export async function rememberBrowser(
  db: TransactionClient,
  userId: string,
  sent: { readonly value: string; readonly hash: Uint8Array<ArrayBuffer> } | null,
  now: Date,
): Promise<string> {
  const expiresAt = new Date(now.getTime() + browserLifetime);
  if (sent !== null) {
    const where = { userId, hash: sent.hash, expiresAt: { gt: now } };
    const { count } = await db.knownBrowser.updateMany({ where, data: { expiresAt } });
    if (count > 0) return sent.value;
  }
  const { token, hash } = mintToken('browser');
  await db.knownBrowser.create({ data: { userId, hash, expiresAt } });
  await db.$executeRaw`DELETE FROM known_browsers WHERE user_id = ${userId}::uuid AND hash NOT IN (
    SELECT b.hash FROM known_browsers b WHERE b.user_id = ${userId}::uuid ORDER BY b.expires_at DESC LIMIT ${maxBrowsers})`;
  return token;
}
