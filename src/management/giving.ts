// Nobody gives what they do not have (docs/contract.md §14.2): what the sender of a request may give is decided in the transaction
// that stores the change, on the rows that it locks.
import { fail, failForRight } from '../base/errors.ts';
import { isBuiltIn, loadMember, makeMember, readRole } from '../auth/members.ts';
import type { ReadingClient } from '../database/client.ts';
import type { TransactionClient } from '../entries/clients/transactionClient.ts';
import type { Context } from '../resolvers/context.ts';
import { refuseForScope } from '../resolvers/scopes/operationScopes.ts';
import {
  builtInRoles,
  everything,
  findUncovered,
  hasSiteRight,
  writeRight,
  type Member,
  type Right,
} from '../rules/rights.ts';
import { findOutOfScopes, hasSiteScope, isChannelInScopes, type Scopes } from '../rules/scopes.ts';
import { findNamedRoles } from './channels/fieldRules.ts';
import type { Management } from './manage.ts';
import { lockRoles, readChannelIds } from './roles/site.ts';

/** The author of a change of roles or members. */
export interface Giver {
  /** The ids of the site's channels, by their `uid`s. */
  readonly idOf: ReadonlyMap<string, string>;
  /** Null for master tokens and commands, which have everything that `scopes` do. */
  readonly member: Pick<Member, 'roles'> | null;
  /** The scopes of its token; null for none. */
  readonly scopes: Scopes | null;
  /** Whether a member had the right to everything before the change. */
  readonly hadOwner: boolean;
}

/** The sender of a request, and the site that it changes. */
export interface GivingContext extends Pick<Context, 'caller' | 'actor'> {
  /** The id of the site; a command's context has none. */
  readonly siteId: string;
}

/**
 * Locks the roles and members of a site until the transaction ends, and then finds what the sender of the request may give. The
 * rights of the request are held: they are not compared again after a change of them.
 * @throws as `rights.hold`
 */
export async function lockGiver({ db, rights }: Management, { siteId, caller, actor }: GivingContext): Promise<Giver> {
  await lockRoles(db, siteId);
  await rights.holdFinally();
  const idOf = await readChannelIds(db, siteId);
  const { scopes } = caller;
  if (caller.kind === 'master' || caller.kind === 'operator') return { idOf, member: null, scopes, hadOwner: false };
  const member = actor.userId === null ? null : await loadMember(db, siteId, actor.userId);
  return { idOf, member: member ?? { roles: [] }, scopes, hadOwner: await hasOwner(db, siteId) };
}

/** The `uid`s of the channels that exist to the sender of a request, by their ids. */
export function uidsKnownTo({ idOf, scopes }: Giver): ReadonlyMap<string, string> {
  return new Map([...idOf].flatMap(([uid, id]) => (isChannelInScopes(scopes, uid) ? [[id, uid] as const] : [])));
}

/**
 * Requires that the sender of a request has each of some rights. One of a channel that there is no more gives nothing.
 * @throws forbidden, which names the first that is missing
 */
export function requireToGive(giver: Giver, rights: readonly Right[]): void {
  const { idOf, scopes } = giver;
  const write = (right: Right): string => {
    return writeRight({ ...right, channel: right.channel === null ? null : (idOf.get(right.channel) ?? null) });
  };
  const outOfScopes = findOutOfScopes(scopes, livingRights(giver, rights));
  if (outOfScopes !== null) refuseForScope(write(outOfScopes));
  const missing = findMissingToGive(giver, rights);
  if (missing === null) return;
  const text = write(missing);
  failForRight(`Nobody gives or takes a right that they do not have: "${text}" is missing.`, text);
}

/** Finds the first of some rights that somebody lacks to give them, whatever its token's scopes; null if nothing is missing. */
export function findMissingToGive(giver: Pick<Giver, 'member' | 'idOf'>, rights: readonly Right[]): Right | null {
  return giver.member === null ? null : findUncovered(giver.member, livingRights(giver, rights));
}

/** Leaves out the rights in channels that there are no more. */
function livingRights({ idOf }: Pick<Giver, 'idOf'>, rights: readonly Right[]): Right[] {
  return rights.filter(({ channel }) => channel === null || idOf.has(channel));
}

/**
 * Requires that the sender of a request may give or take some roles: it has each of their rights, and each of those that the rules
 * of fields name.
 * @throws forbidden, which names the first right that is missing
 */
export async function requireRolesToGive(
  db: Pick<ReadingClient, 'role' | 'channel'>,
  siteId: string,
  giver: Giver,
  roles: readonly string[],
): Promise<void> {
  const { member, scopes } = giver;
  if (member === null && scopes === null) return;
  requireToGive(giver, await readRightsOf(db, siteId, [...new Set(roles)]));
  const named = await findNamedRoles(db, siteId);
  if (!hasSiteScope(scopes, 'channels') && roles.some((role) => named.has(role))) refuseForScope('channels');
  const lacking = findLackingRole(giver, roles, named);
  if (lacking === undefined) return;
  failForRight(
    `Field rules name the role "${lacking}": only who has it, or the right "channels", gives or takes it.`,
    'channels',
  );
}

/**
 * Finds a role that the rules of fields name (docs/contract.md §14.6) and that a giver has not, nor the right to change the rules:
 * it would give the values of these fields.
 * @param named the roles that rules name
 */
export function findLackingRole(
  { member }: Pick<Giver, 'member'>,
  roles: readonly string[],
  named: { readonly has: (role: string) => boolean },
): string | undefined {
  if (member === null || hasSiteRight(member, 'channels')) return undefined;
  return roles.find((role) => named.has(role) && member.roles.every(({ id }) => id !== role));
}

/**
 * Refuses a member's change after which no member of the site has the right to everything any more.
 * @throws conflict
 */
export async function refuseLastOwner(
  db: TransactionClient,
  siteId: string,
  { member, hadOwner }: Giver,
): Promise<void> {
  if (member === null || !hadOwner || (await hasOwner(db, siteId))) return;
  const message = 'the last member with the right "*" keeps it';
  fail('conflict', {
    detail: `No member would have the right "*" any more: ${message}.`,
    errors: [{ field: 'roles', code: 'last_owner', message }],
  });
}

/** Whether a member of a site has the right to everything. */
async function hasOwner(db: TransactionClient, siteId: string): Promise<boolean> {
  const own = await db.role.findMany({ where: { siteId, rights: { has: everything } }, select: { id: true } });
  const builtIn = builtInRoles.filter(({ rights }) => rights.some(({ name }) => name === everything));
  const roles = [...builtIn, ...own].map(({ id }) => id);
  return (await db.membership.count({ where: { siteId, roles: { hasSome: roles } } })) > 0;
}

/** Reads the rights that some roles of a site have together. */
export async function readRightsOf(
  db: Pick<ReadingClient, 'role'>,
  siteId: string,
  ids: readonly string[],
): Promise<Right[]> {
  const own = ids.filter((id) => !isBuiltIn(id));
  const rows = own.length === 0 ? [] : await db.role.findMany({ where: { siteId, id: { in: own } } });
  const roles = new Map(rows.map((row) => [row.id, readRole(row)]));
  const { roles: found } = await makeMember('', ids, (id) => roles.get(id) ?? null);
  return found.flatMap(({ rights }) => rights);
}
