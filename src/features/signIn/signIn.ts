// Signing in, staying signed in, signing out, and changing the password (docs/contract.md §14.8).
import { fail, failValidation } from '../../base/errors.ts';
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import { foldAscii } from '../../fields/email.ts';
import { inNfc } from '../../fields/text.ts';
import type { SignIn, User } from '../../generated/prisma/client.ts';
import { manage } from '../../management/manage.ts';
import type { CreatedUserToken, UserTokenSettings } from '../../management/tokens/createForUser.ts';
import { findUserByEmail } from '../../management/users/find.ts';
import { endSignIns } from '../../management/users/endSignIns.ts';
import type { RequestStats } from '../../telemetry/requestStats.ts';
import { contextOf, type SignInParts, type SignInToken } from './context.ts';
import { countedBrowser, countedEmail, countedNetwork, countedSignIn, limitFailures } from './failures.ts';
import { findPasswordFault, hashPassword, isOutdatedHash, isPasswordOf } from './passwords.ts';
import type { PasswordTurns } from './passwordTurns.ts';
import { listPersonalTokens, revokePersonalToken, storePersonalToken, type OwnToken } from './own/personalTokens.ts';
import { storePassword } from './storedPasswords.ts';
import {
  beginSignIn,
  isKnownBrowser,
  lockUser,
  nobody,
  renewSignIn,
  revokePersonalTokens,
  type FreshToken,
  type NewSignIn,
  type SentCookie,
} from './stored.ts';

/** A request to sign in. */
export interface SignInRequest {
  readonly stats: RequestStats;
  /** The client's network, under which it is counted. */
  readonly network: string;
  /** The cookie of a browser that was in before. */
  readonly browser: SentCookie | null;
}

/** A sign-in as its user sees it. */
export type OwnSignIn = Pick<SignIn, 'id' | 'createdAt' | 'lastUsedAt' | 'expiresAt'>;

/** The most sign-ins that are listed. */
const maxListed = 1_000;

/** The attempts to sign in with a password whose hash is renewed meanwhile. */
const maxAttempts = 3;

export class SignIns {
  readonly #parts: SignInParts;
  readonly #turns: PasswordTurns;

  constructor(parts: SignInParts, turns: PasswordTurns) {
    this.#parts = parts;
    this.#turns = turns;
  }

  /**
   * Signs a user in.
   * @throws unauthenticated, the same for a wrong password, an unknown address and a user without a password, after the same work;
   *   rate_limited after too many failures; unavailable if too many sign in
   */
  async signIn(email: string, password: string, request: SignInRequest): Promise<NewSignIn> {
    const { db } = this.#parts;
    const user = await findUserByEmail(email, db);
    const isKnown = await isKnownBrowser(db, user?.id ?? null, request.browser, new Date());
    const counted =
      isKnown && user !== null && request.browser !== null
        ? [countedBrowser(user.id, Buffer.from(request.browser.hash).toString('hex'))]
        : [countedNetwork(request.network), countedEmail(foldAscii(user?.email ?? inNfc(email)))];
    const signedIn = await limitFailures(db, counted, async () => {
      for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
        const stored = await this.#findStored(user?.id ?? nobody);
        if (!(await this.#turns.run(isKnown, () => isPasswordOf(password, stored)))) return null;
        if (user === null || stored === null) return null;
        const begun = await this.#begin(user, stored, request);
        if (begun !== null) return { begun, stored };
      }
      return null;
    });
    if (signedIn === null) refusePassword();
    if (isOutdatedHash(signedIn.stored)) await this.#renewHash(signedIn.begun, password, signedIn.stored, request);
    return signedIn.begun;
  }

  async #findStored(userId: string): Promise<string | null> {
    const row = await this.#parts.db.password.findUnique({ where: { userId } });
    return row?.stored ?? null;
  }

  /** Stores a sign-in, if the user still has the password that was checked; else null. */
  #begin({ id: userId }: User, stored: string, { stats, browser }: SignInRequest): Promise<NewSignIn | null> {
    return beginSignIn(this.#parts, { stats, userId, providerId: null, browser }, async (db) => {
      if (!(await lockUser(db, userId))) return null;
      const user = await db.user.findUnique({ where: { id: userId }, include: { password: true } });
      return user?.password?.stored === stored ? { user, changes: [] } : null;
    });
  }

  /** Replaces a hash by one with the present parameters, which is no change of the password. */
  async #renewHash(
    { user, signInId }: NewSignIn,
    password: string,
    old: string,
    request: SignInRequest,
  ): Promise<void> {
    const stored = await this.#turns.run(true, () => hashPassword(password));
    await manage(contextOf(this.#parts, request.stats, { signInId, userId: user.id }), async ({ db }) => {
      await db.password.updateMany({ where: { userId: user.id, stored: old }, data: { stored } });
      return { result: null, changes: [] };
    });
  }

  /** Gives a new token to the living sign-in with a cookie, whose use this is. @returns null if there is none */
  async renew(cookie: SentCookie, stats: RequestStats): Promise<FreshToken | null> {
    const renewed = await renewSignIn(contextOf(this.#parts, stats, null), cookie);
    if (renewed === null) return null;
    const { signIn, user, issued } = renewed;
    return { ...issued, signInId: signIn.id, user };
  }

  /** Finds the living sign-in with a cookie; null if there is none. */
  async find({ hash }: SentCookie): Promise<SignInToken | null> {
    const where = { hash, expiresAt: { gt: new Date() } };
    const found = await this.#parts.db.signIn.findUnique({ where, select: { id: true, userId: true } });
    return found && { signInId: found.id, userId: found.userId };
  }

  /**
   * Ends a sign-in.
   * @param also `everywhere`: all of the user's; `tokens`: the user's personal tokens, too
   * @throws unauthenticated if it has ended meanwhile
   */
  async signOut(
    signIn: SignInToken,
    also: { readonly everywhere: boolean; readonly tokens: boolean },
    stats: RequestStats,
  ): Promise<void> {
    const { signInId: id, userId } = signIn;
    const context = contextOf(this.#parts, stats, signIn);
    await manage(context, async ({ db }) => {
      await assertLiving(db, signIn, context.now);
      const ended = await endSignIns(db, also.everywhere ? { userId } : { id });
      const revoked = also.tokens ? await revokePersonalTokens(db, userId, context.now) : [];
      return { result: null, changes: [...ended, ...revoked] };
    });
    await this.#parts.directory.settle();
  }

  /**
   * Changes the password of a sign-in's user, and ends the user's other sign-ins.
   * @throws unauthenticated if the current password is wrong, or the sign-in has ended; validation_failed for a password that breaks
   *   the rule; rate_limited, unavailable as `signIn`; conflict if the password was changed meanwhile
   */
  async changePassword(signIn: SignInToken, current: string, password: string, request: SignInRequest): Promise<void> {
    const { userId, signInId: id } = signIn;
    const { db } = this.#parts;
    const user = await db.user.findUnique({ where: { id: userId } });
    assertPassword(password, user?.email ?? '');
    const before = await this.#findStored(userId);
    const counted = [countedNetwork(request.network), countedSignIn(id)];
    const isRight = await limitFailures(db, counted, async () => {
      return (await this.#turns.run(true, () => isPasswordOf(current, before))) || null;
    });
    if (isRight === null) refusePassword();
    const stored = await this.#turns.run(true, () => hashPassword(password));
    const context = contextOf(this.#parts, request.stats, signIn);
    await manage(context, async ({ db: transaction }) => {
      await assertLiving(transaction, signIn, context.now);
      const existing = await transaction.password.findUnique({ where: { userId } });
      if (existing?.stored !== before) fail('conflict', 'The password was changed meanwhile.');
      const change = await storePassword(transaction, userId, stored, context.now);
      const ended = await endSignIns(transaction, { userId, id: { not: id } });
      return { result: null, changes: [change, ...ended] };
    });
    await this.#parts.directory.settle();
  }

  /** Lists the living sign-ins of a user, newest first. */
  list(userId: string): Promise<OwnSignIn[]> {
    return this.#parts.db.signIn.findMany({
      where: { userId, expiresAt: { gt: new Date() } },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: maxListed,
      select: { id: true, createdAt: true, lastUsedAt: true, expiresAt: true },
    });
  }

  /** Ends a sign-in of a user. @param by the user, and the id of the token that the request came with @returns whether it was there */
  async end(id: string, by: { readonly userId: string; readonly id: string }, stats: RequestStats): Promise<boolean> {
    const { userId } = by;
    const context = contextOf(this.#parts, stats, { signInId: by.id, userId });
    const isEnded = await manage(context, async ({ db }) => {
      await lockUser(db, userId);
      const changes = await endSignIns(db, { id, userId, expiresAt: { gt: context.now } });
      return { result: changes.length > 0, changes };
    });
    await this.#parts.directory.settle();
    return isEnded;
  }

  /** Lists the personal tokens of a user. @param id of one; null for all */
  listTokens(userId: string, id: string | null): Promise<OwnToken[]> {
    return listPersonalTokens(this.#parts.db, userId, id);
  }

  /** Makes a personal token for the user of a sign-in. @throws unauthenticated if that has ended; and as `storePersonalToken` */
  createToken(signIn: SignInToken, settings: UserTokenSettings, stats: RequestStats): Promise<CreatedUserToken> {
    const context = contextOf(this.#parts, stats, signIn);
    return manage(context, async (management) => {
      // Locks the site before the user, as a change of members does.
      const stored = await storePersonalToken(management, signIn.userId, settings, context);
      await assertLiving(management.db, signIn, context.now);
      return stored;
    });
  }

  /** Revokes a personal token of the user of a sign-in. @returns whether it was there @throws unauthenticated if the sign-in has ended */
  async revokeToken(signIn: SignInToken, id: string, stats: RequestStats): Promise<boolean> {
    const context = contextOf(this.#parts, stats, signIn);
    const isRevoked = await manage(context, async (management) => {
      await assertLiving(management.db, signIn, context.now);
      return revokePersonalToken(management, signIn.userId, id, context.now);
    });
    await this.#parts.directory.settle();
    return isRevoked;
  }
}

/** Locks a sign-in's user. @throws unauthenticated if the sign-in has ended */
export async function assertLiving(
  db: TransactionClient,
  { signInId: id, userId }: SignInToken,
  now: Date,
): Promise<void> {
  const isThere = await lockUser(db, userId);
  const living = await db.signIn.count({ where: { id, userId, expiresAt: { gt: now } } });
  if (!isThere || living === 0) refuseEnded();
}

/** @throws unauthenticated always */
export function refuseEnded(): never {
  fail('unauthenticated', 'The sign-in has ended. Sign in again.');
}

/** The one refusal for all reasons. @throws unauthenticated always */
function refusePassword(): never {
  fail('unauthenticated', 'The address or the password is not right.');
}

/** @throws validation_failed if a new password breaks the rule */
export function assertPassword(password: string, email: string): void {
  const fault = findPasswordFault(password, email);
  if (fault !== null) failValidation([{ field: 'password', code: 'invalid', message: fault }]);
}
