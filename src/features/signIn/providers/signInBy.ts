// Signs users in whom a provider knows (docs/contract.md §14.8). The first time a subject is linked to the user whose address the
// provider has verified, or to the new user whom an invitation for that address makes.
import { v7 as uuidv7 } from 'uuid';
import { fail, orRefusal, ServiceError } from '../../../base/errors.ts';
import type { TransactionClient } from '../../../entries/clients/transactionClient.ts';
import { emailValue, foldAscii } from '../../../fields/email.ts';
import { lineOfText, upTo } from '../../../fields/text.ts';
import type { Invitation, Provider, User } from '../../../generated/prisma/client.ts';
import { auditTime } from '../../../management/auditedMembers.ts';
import { findOpenInvitationsFor } from '../../../management/invitations/find.ts';
import { admitInvited, takeInvitation } from '../../../management/invitations/store.ts';
import type { ManagedChange } from '../../../management/manage.ts';
import { endSignIns } from '../../../management/users/endSignIns.ts';
import { findUserByEmail, isAddressTaken } from '../../../management/users/find.ts';
import { storeUser } from '../../../management/users/store.ts';
import { noSite } from '../../../resolvers/auditRecords.ts';
import type { SignInParts } from '../context.ts';
import type { SignInRequest } from '../signIn.ts';
import { beginSignIn, lockUser, revokePersonalTokens, type BeginningWork, type NewSignIn } from '../stored.ts';
import type { Claims } from './client.ts';
import { describeLink } from './endIdentities.ts';

/** The attempts to sign in while links or users change. */
const maxAttempts = 3;

/** The form of subjects (OpenID Connect Core 1.0, section 2). */
const subjectShape = /^[\x20-\x7e]{1,255}$/;
const nameShape = upTo(lineOfText(), 255);

export class ProviderSignIns {
  readonly #parts: SignInParts;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  /** Lists the providers, as a page for people shows them. */
  list(): Promise<Pick<Provider, 'id' | 'name'>[]> {
    const order = [{ createdAt: 'asc' }, { id: 'asc' }] as const;
    return this.#parts.db.provider.findMany({ orderBy: [...order], select: { id: true, name: true } });
  }

  /** Finds a provider. @throws not_found */
  async find(id: string): Promise<Provider> {
    const provider = await this.#parts.db.provider.findUnique({ where: { id } });
    return provider ?? fail('not_found', 'There is no such provider.');
  }

  /**
   * Signs in whom a provider has confirmed.
   * @throws unauthenticated, the same for all who may not sign in by it
   */
  async signIn(provider: Provider, claims: Claims, request: SignInRequest): Promise<NewSignIn> {
    if (!subjectShape.test(claims.subject)) refuseClaims();
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const begun = await this.#try(provider, claims, request);
      if (begun !== null) return begun;
    }
    return refuseClaims();
  }

  /** @returns null if a link or a user has changed meanwhile @throws unauthenticated */
  async #try(provider: Provider, claims: Claims, request: SignInRequest): Promise<NewSignIn | null> {
    const { db } = this.#parts;
    const linked = await findIdentity(db, provider, claims);
    if (linked !== null) {
      return this.#begin(provider, linked.userId, request, async (transaction) => {
        if (!(await lockUser(transaction, linked.userId))) return null;
        const still = await findIdentity(transaction, provider, claims);
        return still?.userId === linked.userId ? { user: still.user, changes: [] } : null;
      });
    }
    const address = readAddress(claims, provider) ?? refuseClaims();
    const user = await findUserByEmail(address, db);
    if (user !== null) {
      return this.#begin(provider, user.id, request, (transaction, now) =>
        linkUser(transaction, provider, claims, user.id, now),
      );
    }
    if (await isAddressTaken(address, db)) refuseClaims();
    for (const invitation of await findOpenInvitationsFor(address, db, new Date())) {
      const begun = await orRefusal(() => this.#join(provider, claims, invitation, request));
      // Another one may still make the user: this one was accepted meanwhile, or its maker could not give its roles any more.
      if (begun instanceof ServiceError) continue;
      return begun;
    }
    return refuseClaims();
  }

  /** Makes the user that is invited, whose address the provider has proved, and a member. */
  #join(provider: Provider, claims: Claims, invitation: Invitation, request: SignInRequest): Promise<NewSignIn | null> {
    const id = uuidv7();
    const email = foldAscii(invitation.email);
    const name = nameShape.safeParse(claims.name).data ?? null;
    return this.#begin(provider, id, request, async (db, now) => {
      const taken = await takeInvitation(db, invitation, now);
      const created = await storeUser(db, { id, email, name, createdAt: now }, { provider: provider.id });
      if (created === null) fail('conflict', 'The address has an account meanwhile.');
      if (!(await storeIdentity(db, provider, claims, id, now))) fail('conflict', 'The subject has a link meanwhile.');
      const { user, change } = created;
      const admitted = await admitInvited(db, taken.invitation, user, now);
      return { user, changes: [taken.change, change, ...admitted] };
    });
  }

  /** Begins a sign-in by a provider that is there still, in the transaction of some work, which locks the user or makes it. */
  async #begin(
    provider: Provider,
    userId: string,
    { stats, browser }: SignInRequest,
    work: BeginningWork,
  ): Promise<NewSignIn | null> {
    const beginning = { stats, userId, providerId: provider.id, browser };
    const begun = await beginSignIn(this.#parts, beginning, async (db, now) =>
      (await lockProvider(db, provider)) ? work(db, now) : null,
    );
    await this.#parts.directory.settle();
    return begun;
  }
}

/** Keeps a provider from being removed until the transaction ends. @returns whether it is the one that was found, not a later one with its id */
async function lockProvider(db: TransactionClient, { id, key }: Provider): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT 1 AS held FROM providers p WHERE p.id = ${id} AND p.key = ${key} FOR SHARE`;
  return rows.length > 0;
}

function findIdentity(
  db: Pick<TransactionClient, 'identity'>,
  { id: providerId }: Provider,
  { subject }: Claims,
): Promise<{ readonly userId: string; readonly user: User } | null> {
  const where = { providerId_subject: { providerId, subject } };
  return db.identity.findUnique({ where, include: { user: true } });
}

/** @returns false if the subject or the user has a link already */
async function storeIdentity(
  db: TransactionClient,
  { id: providerId }: Provider,
  { subject }: Claims,
  userId: string,
  now: Date,
): Promise<boolean> {
  const data = { providerId, subject, userId, createdAt: now };
  return (await db.identity.createMany({ data: [data], skipDuplicates: true })).count > 0;
}

/**
 * Links a subject to the user with its address. An unproven user loses what somebody else may have opened the account with, and is proven.
 * @returns null if the subject is linked meanwhile, or the user is gone @throws unauthenticated if the user has another subject
 */
async function linkUser(
  db: TransactionClient,
  provider: Provider,
  claims: Claims,
  userId: string,
  now: Date,
): ReturnType<BeginningWork> {
  if (!(await lockUser(db, userId))) return null;
  const where = { userId_providerId: { userId, providerId: provider.id } };
  const other = await db.identity.findUnique({ where });
  if (other !== null && other.subject !== claims.subject) refuseClaims();
  if (other !== null || !(await storeIdentity(db, provider, claims, userId, now))) return null;
  const user = await db.user.findUniqueOrThrow({ where: { id: userId } });
  const lost = user.unproven ? await takeFromUnproven(db, userId, now) : [];
  return { user, changes: [...lost, describeLink(userId, null, provider.id)] };
}

/** Proves a locked user, and takes away password, sign-ins and personal tokens, links that set a password and known browsers included. */
async function takeFromUnproven(db: TransactionClient, userId: string, now: Date): Promise<ManagedChange[]> {
  await db.user.update({ where: { id: userId }, data: { unproven: false } });
  const password = await db.password.findUnique({ where: { userId }, select: { setAt: true } });
  await db.password.deleteMany({ where: { userId } });
  await db.userLink.deleteMany({ where: { userId } });
  await db.knownBrowser.deleteMany({ where: { userId } });
  const change = { siteId: noSite, type: 'user', subject: userId, action: 'updated' } as const;
  const before = { password_set_at: auditTime(password?.setAt ?? null) };
  return [
    { ...change, before, after: { password_set_at: null } },
    ...(await endSignIns(db, { userId })),
    ...(await revokePersonalTokens(db, userId, now)),
  ];
}

/** The verified address of somebody, if it is one of the provider's domains; else null. */
function readAddress({ email }: Claims, { domains }: Provider): string | null {
  const { data: address } = emailValue.safeParse(email);
  if (address === undefined) return null;
  const domain = foldAscii(address.slice(address.lastIndexOf('@') + 1));
  return domains.length === 0 || domains.includes(domain) ? address : null;
}

/** The one refusal for all reasons. @throws unauthenticated always */
function refuseClaims(): never {
  fail('unauthenticated', 'Nobody here may sign in by this account of the provider.');
}
