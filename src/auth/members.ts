// Makes the member that a user is in a site, with the rights of its roles (docs/contract.md §14.1): of those that are built
// in, and of the site's own, which are looked up. A role that there is not gives nothing.
import { isPromise, type PromiseOrValue } from '../base/promiseOrValue.ts';
import type { ReadingClient } from '../database/client.ts';
import { builtInRoles, parseRight, type Member, type RoleRights } from '../rules/rights.ts';

const builtInById: ReadonlyMap<string, RoleRights> = new Map(builtInRoles.map((role) => [role.id, role]));

/** Whether a role is built in. */
export function isBuiltIn(role: string): boolean {
  return builtInById.has(role);
}

/** The rights of a stored role. Texts that are no rights of this version are left out. */
export function readRole({ id, rights }: { readonly id: string; readonly rights: readonly string[] }): RoleRights {
  return { id, rights: rights.flatMap((text) => parseRight(text) ?? []) };
}

/**
 * Makes the member with some roles.
 * @param findRole finds a role of the site
 */
export function makeMember(
  user: string,
  roles: readonly string[],
  findRole: (id: string) => PromiseOrValue<RoleRights | null>,
): PromiseOrValue<Member> {
  const found: RoleRights[] = [];
  for (const [index, id] of roles.entries()) {
    const role = builtInById.get(id) ?? findRole(id);
    if (isPromise(role)) return makeLater(user, roles.slice(index), found, findRole);
    if (role !== null) found.push(role);
  }
  return { user, roles: found };
}

async function makeLater(
  user: string,
  rest: readonly string[],
  before: readonly RoleRights[],
  findRole: (id: string) => PromiseOrValue<RoleRights | null>,
): Promise<Member> {
  const found = await Promise.all(rest.map(async (id) => builtInById.get(id) ?? (await findRole(id))));
  return { user, roles: [...before, ...found.filter((role) => role !== null)] };
}

/** Reads the role of a site with an id; null if there is none. */
export async function loadRole(
  db: Pick<ReadingClient, 'role'>,
  siteId: string,
  id: string,
): Promise<RoleRights | null> {
  const role = await db.role.findUnique({ where: { siteId_id: { siteId, id } }, select: { id: true, rights: true } });
  return role && readRole(role);
}

/** Reads the member that a user is in a site, from the database or in a transaction; null if it is none. */
export async function loadMember(
  db: Pick<ReadingClient, 'membership' | 'role'>,
  siteId: string,
  userId: string,
): Promise<Member | null> {
  const where = { siteId_userId: { siteId, userId } };
  const membership = await db.membership.findUnique({ where, select: { roles: true } });
  return membership && (await makeMember(userId, membership.roles, (role) => loadRole(db, siteId, role)));
}
