// Members of a site: users with roles, and the site's own roles.
import type { PrismaClient } from '../../src/generated/prisma/client.ts';
import type { TestApp } from './app.ts';
import { as, type Caller } from './as.ts';
import { buildRole as buildRoleOf, buildUser } from './build.ts';

/** A site in a database: a scene, for one. */
interface Place {
  readonly db: PrismaClient;
  readonly site: { readonly id: string };
}

/** A member, who calls with a user token. */
export interface Person extends Caller {
  /** The user's id. */
  readonly user: string;
  readonly token: string;
}

/** Makes a user with roles in a site. */
export async function buildMember(app: TestApp, { db, site }: Place, roles: readonly string[]): Promise<Person> {
  const { id, token } = await buildUser(db);
  await db.membership.create({ data: { siteId: site.id, userId: id, roles: [...roles], createdAt: new Date() } });
  return { user: id, token, ...as(app, { token, site: site.id }) };
}

/** Makes a role of the site. @param rights as they are stored: they name channels by their `uid`s @returns its id */
export function buildRole({ db, site }: Place, id: string, rights: readonly string[]): Promise<string> {
  return buildRoleOf(db, site.id, { id, rights: [...rights] });
}

/** Makes a member whose only role has such rights. */
export async function buildHolder(app: TestApp, place: Place, rights: readonly string[]): Promise<Person> {
  const role = await buildRole(place, `role-${rights.join('-').replaceAll(/[^a-z]+/g, '-')}`.slice(0, 60), rights);
  return buildMember(app, place, [role]);
}
