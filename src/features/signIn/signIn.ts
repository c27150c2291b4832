// Signing in, staying signed in, signing out, and changing the password (docs/contract.md §14.8).
import { v7 as uuidv7 } from 'uuid';
import { unlimitedBudget } from '../../admission/budget.ts';
import type { Directory } from '../../auth/directory.ts';
import { fail, failValidation } from '../../base/errors.ts';
import type { Limits } from '../../config/config.ts';
import type { TransactionClient } from '../../entries/clients/transactionClient.ts';
import type { EntryClient } from '../../entries/model.ts';
import { foldAscii } from '../../fields/email.ts';
import { inNfc } from '../../fields/text.ts';
import type { SignIn, User } from '../../generated/prisma/client.ts';
import { manage } from '../../management/manage.ts';
import { findUserByEmail } from '../../management/users/find.ts';
import { endSignIns } from '../../management/users/endSignIns.ts';
import { noSite } from '../../resolvers/auditRecords.ts';
import type { Context } from '../../resolvers/context.ts';
import { createReadingContext } from '../../resolvers/readingContext.ts';
import type { RequestStats } from '../../telemetry/requestStats.ts';
import type { SentCookie } from './cookies.ts';
import { countedBrowser, countedEmail, countedNetwork, countedSignIn, limitFailures } from './failures.ts';
import { findPasswordFault, hashPassword, isOutdatedHash, isPasswordOf } from './passwords.ts';
import { PasswordTurns } from './passwordTurns.ts';
import { replacePassword, storePassword } from './storedPasswords.ts';
import {
  beginSignIn,
  isKnownBrowser,
  lockUser,
  nobody,
  rememberBrowser,
  renewSignIn,
  revokePersonalTokens,
  type IssuedToken,
} from './stored.ts';

/** The parts of the process that signing in uses. */
export interface SignInParts {
  readonly db: EntryClient;
  readonly directory: Directory;
  readonly limits: Limits;
}

/** A request to sign in. */
export interface SignInRequest {
  readonly stats: RequestStats;
  /** The client's network, under which it is counted. */
  readonly network: string;
  /** The cookie of a browser that was in before. */
  readonly browser: SentCookie | null;
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

/** A token of a sign-in that a request came with. */
export interface SignInToken {
  readonly signInId: string;
  readonly userId: string;
}

/** A sign-in as its user sees it. */
export type OwnSignIn = Pick<SignIn, 'id' | 'createdAt' | 'lastUsedAt' | 'expiresAt'>;

/** The most sign-ins that are listed. */
const maxListed = 1_000;

/** The attempts to sign in with a password whose hash is renewed meanwhile. */
const maxAttempts = 3;

export class SignIns {
  readonly #parts: SignInParts;
  readonly #turns = new PasswordTurns();

  constructor(parts: SignInParts) {
    this.#parts = parts;
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
  async #begin({ id: userId }: User, stored: string, request: SignInRequest): Promise<NewSignIn | null> {
    const id = uuidv7();
    const context = this.#contextOf(request.stats, { signInId: id, userId });
    return manage(context, async ({ db }) => {
      if (!(await lockUser(db, userId))) return { result: null, changes: [] };
      const user = await db.user.findUnique({ where: { id: userId }, include: { password: true } });
      if (user?.password?.stored !== stored) return { result: null, changes: [] };
      const { cookie, issued, change } = await beginSignIn(db, { id, userId }, context.now);
      const browserCookie = await rememberBrowser(db, userId, request.browser, context.now);
      return { result: { ...issued, signInId: id, user, cookie, browserCookie }, changes: [change] };
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
    await manage(this.#contextOf(request.stats, { signInId, userId: user.id }), async ({ db }) => {
      await db.password.updateMany({ where: { userId: user.id, stored: old }, data: { stored } });
      return { result: null, changes: [] };
    });
  }

  /** Gives a new token to the living sign-in with a cookie, whose use this is. @returns null if there is none */
  async renew(cookie: SentCookie, stats: RequestStats): Promise<FreshToken | null> {
    const renewed = await renewSignIn(this.#contextOf(stats, null), cookie);
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
    const context = this.#contextOf(stats, signIn);
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
    const context = this.#contextOf(request.stats, signIn);
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

  /**
   * Sets a password by a link, once, and signs in with it. The user's sign-ins end, and unless the link says otherwise personal tokens.
   * @throws conflict if the link was used, has ended or never was; validation_failed for a password that breaks the rule
   */
  async useLink(hash: Uint8Array<ArrayBuffer>, password: string, request: SignInRequest): Promise<NewSignIn> {
    const link = await this.#parts.db.userLink.findUnique({
      where: { hash, expiresAt: { gt: new Date() } },
      include: { user: true },
    });
    if (link === null) refuseLink();
    assertPassword(password, link.user.email);
    const stored = await this.#turns.run(false, () => hashPassword(password));
    const { userId } = link;
    const id = uuidv7();
    const context = this.#contextOf(request.stats, { signInId: id, userId });
    const begun = await manage(context, async ({ db }) => {
      const { now } = context;
      if (!(await lockUser(db, userId))) refuseLink();
      const { count } = await db.userLink.deleteMany({ where: { hash, expiresAt: { gt: now } } });
      if (count === 0) refuseLink();
      const changes = await replacePassword(db, { userId, stored, keepTokens: link.keepTokens }, now);
      const { cookie, issued, change } = await beginSignIn(db, { id, userId }, now);
      const browserCookie = await rememberBrowser(db, userId, null, now);
      const result: NewSignIn = { ...issued, signInId: id, user: link.user, cookie, browserCookie };
      return { result, changes: [...changes, change] };
    });
    await this.#parts.directory.settle();
    return begun;
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
    const context = this.#contextOf(stats, { signInId: by.id, userId });
    const isEnded = await manage(context, async ({ db }) => {
      await lockUser(db, userId);
      const changes = await endSignIns(db, { id, userId, expiresAt: { gt: context.now } });
      return { result: changes.length > 0, changes };
    });
    await this.#parts.directory.settle();
    return isEnded;
  }

  /** The context of a change. @param by the sign-in that makes it; null for a change without a record */
  #contextOf(stats: RequestStats, by: SignInToken | null): Context {
    const { db, directory, limits } = this.#parts;
    const author = { customerId: null, name: null, sessionId: null };
    return createReadingContext({
      site: noSite,
      caller: { kind: 'user', customer: null },
      ...(by !== null && { actor: { kind: 'user', tokenId: by.signInId, userId: by.userId, ...author } }),
      useAcl: false,
      baseUrl: '',
      stats,
      db,
      directory,
      limits,
      budget: unlimitedBudget,
      assignPositions: () => fail('bad_request', 'A sign-in has no entries.'),
    });
  }
}

/** Locks a sign-in's user. @throws unauthenticated if the sign-in has ended */
async function assertLiving(db: TransactionClient, { signInId: id, userId }: SignInToken, now: Date): Promise<void> {
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

/** @throws conflict always */
function refuseLink(): never {
  fail('conflict', 'This link was used, has ended, or is not whole. Ask for a new one.');
}

/** @throws validation_failed if a new password breaks the rule */
function assertPassword(password: string, email: string): void {
  const fault = findPasswordFault(password, email);
  if (fault !== null) failValidation([{ field: 'password', code: 'invalid', message: fault }]);
}
