// Checks the rights of a request's caller again while the request runs: token, session, membership and roles, so that a
// revocation ends it within a second (docs/contract.md §2).
import { isDeepStrictEqual } from 'node:util';
import type { Statements } from '../database/statements.ts';
import { andThen, type PromiseOrValue } from '../base/promiseOrValue.ts';
import { fail } from '../base/errors.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { Caller } from '../rules/callers.ts';
import { isBuiltIn, makeMember, readRole } from '../auth/members.ts';
import type { Member } from '../rules/rights.ts';
import { refuseMember, type Identity } from '../auth/identify.ts';
import { refuseSession, refuseToken } from '../auth/tokens.ts';

/** The caller with the rights that it has at a time. */
export interface CurrentCaller {
  readonly caller: Caller;
  readonly now: Date;
}

/** The rights of a request's caller. */
export interface Rights {
  /**
   * Checks them again, for an operation or a statement that begins now.
   * @throws unauthenticated if the token or the session has ended; forbidden if the membership has
   */
  readonly renew: () => PromiseOrValue<CurrentCaller>;
  /**
   * Called by an operation that may be about to end its own caller's rights, such as signing out: inside a transaction
   * it holds them now, and `hold` does not check them again.
   * @throws the errors of `hold`
   */
  readonly holdFinally: () => Promise<void>;
  /**
   * Tracks the rights inside a transaction, and reads them through it: the embedded database has only one connection.
   * @param decidedOn the caller with the rights that the transaction's work was decided on
   */
  readonly within: (transaction: Statements, decidedOn: Caller) => TransactionRights;
}

/** The rights of a transaction's caller. */
export interface TransactionRights extends Rights {
  /**
   * Locks the rows of token, membership, session and customer until the transaction commits, as its last statements: a
   * revocation either came before, or waits for the commit.
   * @throws the errors of `renew`; conflict if the roles of the customer or the member, or the rights of these, are not those
   *   that the transaction was decided on
   */
  readonly hold: () => Promise<void>;
}

/**
 * The time for which a check of rights counts, in milliseconds: a small part of the second within which a revocation
 * takes effect.
 */
const maxAgeMilliseconds = 50;

/**
 * The irrevocable rights of the operator, who has access to the database itself.
 * @param at the time of all operations; absent if each has the time at which it begins
 */
export function lastingRights(caller: Caller, at?: Date): TransactionRights {
  const rights: TransactionRights = {
    renew: () => ({ caller, now: at ?? new Date() }),
    holdFinally: () => Promise.resolve(),
    within: () => rights,
    hold: () => Promise.resolve(),
  };
  return rights;
}

/**
 * The rights of an identified caller.
 * @param first without a site, it has no rights: each check fails, unless the request is about no site
 * @param identifyAgain authenticates the request again, from the caches
 * @param isWithoutSite whether the request is about no site: such a request has no transaction
 */
export function trackRights(
  first: Identity,
  identifyAgain: () => PromiseOrValue<Identity>,
  isWithoutSite: boolean,
): Rights {
  let identity = first;
  const site = first.site ?? '';
  return {
    renew: () => {
      const now = new Date();
      const isOld = now.getTime() - identity.now.getTime() >= maxAgeMilliseconds;
      return andThen(isOld ? identifyAgain() : identity, (current) => {
        identity = current;
        // A token's own site never changes, so the membership has ended.
        if (isWithoutSite ? current.site !== null : current.site !== site) refuseMember();
        const { token, customer, member, scopes } = current;
        return { caller: { kind: token.kind, customer, member, scopes }, now };
      });
    },
    holdFinally: () => Promise.resolve(),
    within: (transaction, decidedOn) => {
      if (identity.site !== site) refuseMember();
      return trackRightsWithin(transaction, identity, site, decidedOn);
    },
  };
}

function trackRightsWithin(
  transaction: Statements,
  identity: Identity,
  site: string,
  decidedOn: Caller,
): TransactionRights {
  // Scopes never change.
  const { token, customer, member, scopes } = identity;
  const { kind } = token;
  let caller: Caller = { kind, customer, member, scopes };
  let lookedAt = identity.now.getTime();
  let isHeld = false;
  const rights: TransactionRights = {
    renew: async () => {
      const now = new Date();
      if (now.getTime() - lookedAt >= maxAgeMilliseconds) {
        caller = { kind, scopes, ...(await readRights(transaction, identity, site, now, Prisma.empty)) };
        lookedAt = now.getTime();
      }
      return { caller, now };
    },
    holdFinally: async () => {
      await rights.hold();
      isHeld = true;
    },
    within: () => rights,
    hold: async () => {
      if (isHeld) return;
      const held = await readRights(transaction, identity, site, new Date(), Prisma.sql`FOR SHARE`);
      if (isDeepStrictEqual(held, { customer: decidedOn.customer, member: decidedOn.member })) return;
      const whose = decidedOn.customer === null ? 'member' : 'customer';
      fail('conflict', `The roles of the ${whose} changed while this was done. Nothing was stored: send it again.`);
    },
  };
  return rights;
}

/**
 * Reads the rows on which an identity's rights depend.
 * @param lock the lock to take on the rows, if any
 * @returns the customer with its present roles, null without a session; or the member with its roles
 * @throws unauthenticated, forbidden if the rights have ended
 */
async function readRights(
  db: Statements,
  { token, session, customer }: Identity,
  site: string,
  now: Date,
  lock: Prisma.Sql,
): Promise<Pick<Caller, 'customer' | 'member'>> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const tokens = await db.$queryRaw<unknown[]>`SELECT 1 AS held FROM tokens t
    WHERE t.id = ${token.rowId}::uuid AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${at}) ${lock}`;
  if (tokens.length === 0) refuseToken('invalid');
  const roles = token.userId === null ? [] : await readMemberRoles(db, site, token.userId, lock);
  if (session === null || customer === null) {
    const member = token.userId === null ? undefined : await readMember(db, site, token.userId, roles, lock);
    return { customer: null, member };
  }
  const [row = refuseSession()] = await db.$queryRaw<{ roles: string[] }[]>`SELECT c.roles
    FROM sessions s JOIN customers c ON c.site_id = s.site_id AND c.id = s.customer_id
    WHERE s.site_id = ${site} AND s.id = ${session.id}::uuid AND s.revoked_at IS NULL AND s.expires_at > ${at} ${lock}`;
  return { customer: { id: customer.id, roles: row.roles }, member: undefined };
}

/** Reads the ids of a member's roles. @throws forbidden if the user is no member any more */
async function readMemberRoles(db: Statements, site: string, user: string, lock: Prisma.Sql): Promise<string[]> {
  const [membership = refuseMember()] = await db.$queryRaw<{ roles: string[] }[]>`SELECT m.roles::text[] AS roles
    FROM memberships m WHERE m.site_id = ${site} AND m.user_id = ${user}::uuid ${lock}`;
  return membership.roles;
}

/** Reads the member with some roles; undefined if it has none of them. */
async function readMember(
  db: Statements,
  site: string,
  user: string,
  ids: readonly string[],
  lock: Prisma.Sql,
): Promise<Member | undefined> {
  if (ids.length === 0) return undefined;
  const own = ids.filter((role) => !isBuiltIn(role));
  const rows =
    own.length === 0
      ? []
      : await db.$queryRaw<{ id: string; rights: string[] }[]>`SELECT r.id, r.rights FROM roles r
          WHERE r.site_id = ${site} AND r.id = ANY(${own}::text[]) ${lock}`;
  const roles = new Map(rows.map((row) => [row.id, readRole(row)]));
  const member = await makeMember(user, ids, (id) => roles.get(id) ?? null);
  return member.roles.length === 0 ? undefined : member;
}
