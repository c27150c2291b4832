// Links that a user opens (docs/contract.md §14.2, §14.8): those that set a password, and those of invitations, which a user accepts who
// is signed in, or who is new.
import { v7 as uuidv7 } from 'uuid';
import { fail } from '../../../base/errors.ts';
import { foldAscii } from '../../../fields/email.ts';
import type { Invitation, Prisma } from '../../../generated/prisma/client.ts';
import { auditTime } from '../../../management/auditedMembers.ts';
import { findInvitationOf } from '../../../management/invitations/find.ts';
import { admitInvited, refuseLink, takeInvitation } from '../../../management/invitations/store.ts';
import { manage } from '../../../management/manage.ts';
import { findUserByEmail, isAddressTaken } from '../../../management/users/find.ts';
import { storeUser } from '../../../management/users/store.ts';
import type { RequestStats } from '../../../telemetry/requestStats.ts';
import { contextOf, type SignInParts, type SignInToken } from '../context.ts';
import { hashPassword } from '../passwords.ts';
import type { PasswordTurns } from '../passwordTurns.ts';
import { assertLiving, assertPassword, type SignInRequest } from '../signIn.ts';
import { beginSignIn, lockUser, type BeginningWork, type NewSignIn, type SignedInUser } from '../stored.ts';
import { replacePassword } from '../storedPasswords.ts';

type Hash = Uint8Array<ArrayBuffer>;

/** The data that somebody sends with the token of a link, without being signed in. */
export interface LinkData {
  /** The name of a new user. */
  readonly name: string | null;
  /** Null if none was sent, as by a page that asks whether there is an account. */
  readonly password: string | null;
}

/** A link that sets a password, and its user. */
type PasswordLink = Prisma.UserLinkGetPayload<{ include: { user: true } }>;

export class Links {
  readonly #parts: SignInParts;
  readonly #turns: PasswordTurns;

  constructor(parts: SignInParts, turns: PasswordTurns) {
    this.#parts = parts;
    this.#turns = turns;
  }

  /**
   * Uses a link once, without being signed in, and signs in: sets its user's password, or makes the user that is invited.
   * @param hash that of the link's token
   * @throws conflict if the link leads to nothing, or the invited address has an account; validation_failed for a password that breaks the
   *   rule
   */
  async use(hash: Hash, data: LinkData, request: SignInRequest): Promise<NewSignIn> {
    const { db } = this.#parts;
    const link = await this.#findPasswordLink(hash);
    if (link !== null) return this.#setPassword(link, data, request);
    const invitation = (await findInvitationOf(hash, db, new Date())) ?? refuseLink();
    if (await isAddressTaken(invitation.email, db)) refuseExisting(invitation);
    return this.#join(invitation, data, request);
  }

  /**
   * Accepts an invitation as the user of a sign-in.
   * @returns the user
   * @throws conflict if the link leads to nothing, or the invitation is for another address; unauthenticated if the sign-in has ended
   */
  async accept(hash: Hash, signIn: SignInToken, stats: RequestStats): Promise<SignedInUser> {
    const { db: client, directory } = this.#parts;
    const invitation = await findInvitationOf(hash, client, new Date());
    if (invitation === null) {
      const isPassword = (await this.#findPasswordLink(hash)) !== null;
      if (isPassword) fail('conflict', 'This link sets a password: send it with one, and without an access token.');
      refuseLink();
    }
    const context = contextOf(this.#parts, stats, signIn);
    const accepted = await manage(context, async ({ db }) => {
      const { now } = context;
      const taken = await takeInvitation(db, invitation, now);
      await assertLiving(db, signIn, now);
      const user = await findUserByEmail(invitation.email, db);
      if (user?.id !== signIn.userId) refuseOther(invitation);
      const changes = await admitInvited(db, taken.invitation, user, now);
      return { result: user, changes: [taken.change, ...changes] };
    });
    await directory.settle();
    return accepted;
  }

  #findPasswordLink(hash: Hash): Promise<PasswordLink | null> {
    const where = { hash, expiresAt: { gt: new Date() } };
    return this.#parts.db.userLink.findUnique({ where, include: { user: true } });
  }

  /** The user's sign-ins end, and unless the link says otherwise personal tokens and links to providers. An unproven user's end in any case. */
  async #setPassword(
    { hash, userId, keepTokens, keepLinks, user }: PasswordLink,
    { password }: LinkData,
    request: SignInRequest,
  ): Promise<NewSignIn> {
    const stored = await this.#hash(password, user.email);
    return this.#begin(userId, request, async (db, now) => {
      if (!(await lockUser(db, userId))) return null;
      const { count } = await db.userLink.deleteMany({ where: { hash, expiresAt: { gt: now } } });
      if (count === 0) refuseLink();
      const { count: becameProven } = await db.user.updateMany({
        where: { id: userId, unproven: true },
        data: { unproven: false },
      });
      const replacement = { userId, stored, keepTokens: keepTokens && becameProven === 0, keepLinks };
      return { user, changes: await replacePassword(db, replacement, now) };
    });
  }

  /** Makes the user that is invited, who is unproven, and a member. */
  async #join(invitation: Invitation, { name, password }: LinkData, request: SignInRequest): Promise<NewSignIn> {
    const email = foldAscii(invitation.email);
    const stored = await this.#hash(password, email);
    const id = uuidv7();
    return this.#begin(id, request, async (db, now) => {
      const taken = await takeInvitation(db, invitation, now);
      const data = { id, email, name, createdAt: now, unproven: true };
      const created = await storeUser(db, data, { password_set_at: auditTime(now) });
      const { user, change } = created ?? refuseExisting(invitation);
      await db.password.create({ data: { userId: id, stored, setAt: now } });
      const admitted = await admitInvited(db, taken.invitation, user, now);
      return { user, changes: [taken.change, change, ...admitted] };
    });
  }

  /** Hashes a new password in its turn. @throws validation_failed if there is none, or it breaks the rule; unavailable */
  #hash(password: string | null, email: string): Promise<string> {
    assertPassword(password ?? '', email);
    return this.#turns.run(false, () => hashPassword(password ?? ''));
  }

  /** Begins a sign-in of a user by a link. @throws as the work */
  async #begin(userId: string, { stats }: SignInRequest, work: BeginningWork): Promise<NewSignIn> {
    const begun = await beginSignIn(this.#parts, { stats, userId, providerId: null, browser: null }, work);
    await this.#parts.directory.settle();
    return begun ?? refuseLink();
  }
}

/** @throws conflict always */
function refuseExisting({ email }: Invitation): never {
  const message = 'has an account: sign in as its user, and accept the invitation then';
  fail('conflict', {
    detail: `The address ${email} ${message}.`,
    errors: [{ field: 'token', code: 'account_exists', message: `is of an invitation whose address ${message}` }],
  });
}

/** @throws conflict always */
function refuseOther({ email }: Invitation): never {
  const message = 'is of an invitation for another address than that of the sign-in';
  fail('conflict', {
    detail: `The invitation is for ${email}: sign in as the user with that address.`,
    errors: [{ field: 'token', code: 'other_account', message }],
  });
}
