// The rows of sign-ins, their tokens and the browsers they were made in (docs/contract.md §14.8), within `manage`: a sign-in has
// a record in the audit log when it begins and when somebody ends it; its tokens have none.
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { sealKey } from '../../auth/keyHolder.ts';
import { mintToken } from '../../auth/tokens.ts';
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import type { SignIn, User } from '../../generated/prisma/client.ts';
import { auditSignIn } from '../../management/auditedMembers.ts';
import { manage, type ManagedChange } from '../../management/manage.ts';
import { describeRevoked } from '../../management/tokens/describeRevoked.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import type { Context } from '../../resolvers/context.ts';
import type { RequestStats } from '../../telemetry/requestStats.ts';
import { contextOf, type SignInParts } from './context.ts';

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

/** A cookie as it was sent, and its hash. */
export interface SentCookie {
  readonly value: string;
  readonly hash: Uint8Array<ArrayBuffer>;
}

/** A new access token of a sign-in. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** The user of a sign-in, as answers show it. */
export type SignedInUser = Pick<User, 'id' | 'email' | 'name'>;

/** A sign-in with a new token. */
export interface FreshToken extends IssuedToken {
  readonly signInId: string;
  readonly user: SignedInUser;
}

/** A new sign-in: the values of its cookies, too. */
export interface NewSignIn extends FreshToken {
  readonly cookie: string;
  readonly browserCookie: string;
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
interface Beginning {
  readonly stats: RequestStats;
  readonly userId: string;
  /** The provider by which it is made; null for a password or a link. */
  readonly providerId: string | null;
  /** The cookie of a browser that was in before. */
  readonly browser: SentCookie | null;
}

/** The work of a transaction in which a sign-in begins: it locks the user, or makes it. Null: nobody is signed in. */
export type BeginningWork = (
  db: TransactionClient,
  now: Date,
) => Promise<{ readonly user: SignedInUser; readonly changes: readonly ManagedChange[] } | null>;

/** Begins a sign-in in the transaction of some work. @returns null where the work does @throws as the work */
export function beginSignIn(
  parts: SignInParts,
  { stats, userId, providerId, browser }: Beginning,
  work: BeginningWork,
): Promise<NewSignIn | null> {
  const id = uuidv7();
  const context = contextOf(parts, stats, { signInId: id, userId });
  return manage(context, async ({ db }) => {
    const { now } = context;
    const done = await work(db, now);
    if (done === null) return { result: null, changes: [] };
    const { user, changes } = done;
    const { cookie, issued, change } = await storeSignIn(db, { id, userId, providerId }, now);
    const browserCookie = await rememberBrowser(db, userId, browser, now);
    const result: NewSignIn = { ...issued, signInId: id, user, cookie, browserCookie };
    return { result, changes: [...changes, change] };
  });
}

/** Stores a sign-in of a locked user. @returns its cookie, its first token, and its record */
async function storeSignIn(
  db: TransactionClient,
  { id, userId, providerId }: Pick<SignIn, 'id' | 'userId' | 'providerId'>,
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
  readonly user: SignedInUser;
}

/** Notes the use of the living sign-in with a cookie, and gives it a token; null if there is none. */
export function renewSignIn(
  context: Context,
  cookie: SentCookie,
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
  cookie: SentCookie | null,
  now: Date,
): Promise<boolean> {
  const hash = cookie?.hash ?? new Uint8Array();
  const found = await db.knownBrowser.count({ where: { userId: userId ?? nobody, hash, expiresAt: { gt: now } } });
  return found > 0;
}

/** The id of no user: the look-ups of unknown addresses take the statements of known ones. */
export const nobody = '00000000-0000-0000-0000-000000000000';

/** Remembers the browser in which a locked user signs in. @returns its cookie: the one that it has as this user's, or a new one */
async function rememberBrowser(
  db: TransactionClient,
  userId: string,
  sent: SentCookie | null,
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
