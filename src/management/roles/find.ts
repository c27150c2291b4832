// Finds the role that an argument names.
import { fail } from '../../base/errors.ts';
import type { ReadingClient } from '../../database/client.ts';
import type { Role } from '../../generated/prisma/client.ts';
import type { Context } from '../../resolvers/context.ts';
import { builtInRoles, type RoleRights } from '../../rules/rights.ts';

/** Finds a role of a site's own. @throws not_found; conflict for one that is built in */
export async function findOwnRole(db: Pick<ReadingClient, 'role'>, siteId: string, id: string): Promise<Role> {
  if (findBuiltIn(id) !== undefined) fail('conflict', `The role "${id}" is built in: it does not change.`);
  return (await db.role.findUnique({ where: { siteId_id: { siteId, id } } })) ?? throwNoSuchRole();
}

/** Finds the role of the site's own that an operation changes, for its preconditions. @throws as `findOwnRole` */
export function findChangedRole(
  { id }: { readonly id: string },
  { services: { db }, site }: Pick<Context, 'services' | 'site'>,
): Promise<Role> {
  return findOwnRole(db, site, id);
}

/** Finds a role that every site has. */
export function findBuiltIn(id: string): RoleRights | undefined {
  return builtInRoles.find((role) => role.id === id);
}

/** @throws not_found always */
function throwNoSuchRole(): never {
  fail('not_found', 'There is no such role.');
}
