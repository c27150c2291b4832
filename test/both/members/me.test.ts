// Who a token is (docs/contract.md §14.2), over both doors.
import { expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildMember, buildRole, buildSite, buildUser } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const db = app.database.prisma;

interface Me {
  readonly kind: string;
  readonly user: { readonly id: string } | null;
  readonly sites: readonly { readonly id: string; readonly roles: readonly string[] }[];
  readonly rights: readonly string[] | null;
}

async function meOf(caller: Caller): Promise<Me> {
  const { status, body } = await caller.rest<Me>('GET', '/me');
  expect(status).toBe(200);
  return body;
}

/** The same through GraphQL, which names kinds in upper case. */
async function expectSame(caller: Caller, me: Me): Promise<void> {
  const query = '{ me { kind user { id email name } sites { id name roles } rights } }';
  expect(expectData(await caller.gql(query))).toEqual({ me: { ...me, kind: me.kind.toUpperCase() } });
}

test('a master token has every right of its site, and a public token is told of none', async () => {
  const { site, master, visitor } = await buildScene(app);
  const sites = [{ id: site.id, name: site.id, roles: [] }];
  const told = { user: null, sites };
  expect(await meOf(master)).toEqual({ kind: 'master', ...told, rights: ['*'] });
  expect(await meOf(visitor)).toEqual({ kind: 'public', ...told, rights: null });
  await expectSame(master, { kind: 'master', ...told, rights: ['*'] });
  await expectSame(visitor, { kind: 'public', ...told, rights: null });
});

test('a user token is told its user and the user’s sites, and its rights in the site that it names', async () => {
  const scene = await buildScene(app);
  const other = await buildSite(db);
  await buildChannel(db, scene.site.id, { id: 'news' });
  const { uid } = scene.channel;
  await buildRole(db, scene.site.id, { id: 'desk', rights: ['read', `update:own@${uid}`, 'read@0-gone'] });
  const { id, token } = await buildMember(db, scene.site.id, ['viewer', 'desk']);
  await db.membership.create({ data: { siteId: other.id, userId: id, createdAt: new Date() } });
  const sites = [
    { id: scene.site.id, name: scene.site.id, roles: ['viewer', 'desk'] },
    { id: other.id, name: other.id, roles: [] },
  ].sort((one, two) => (one.id < two.id ? -1 : 1));
  const told = { kind: 'user', user: { id, email: `${id}@example.com`, name: null }, sites };
  expect(await meOf(as(app, { token }))).toEqual({ ...told, rights: null });
  const here = as(app, { token, site: scene.site.id });
  expect(await meOf(here)).toEqual({ ...told, rights: ['read', 'update:own@articles'] });
  await expectSame(here, { ...told, rights: ['read', 'update:own@articles'] });
  expect(await meOf(as(app, { token, site: other.id }))).toEqual({ ...told, rights: [] });
  const { session } = await buildCustomer(db, scene.site.id);
  expect(await meOf(as(app, { token, site: scene.site.id, session }))).toEqual({ ...told, rights: [] });
});

test('/me needs no site, but none that is another’s, and a token', async () => {
  const { site } = await buildScene(app);
  const { token } = await buildUser(db);
  const statusOf = async (caller: Caller): Promise<number> => (await caller.rest('GET', '/me')).status;
  expect(await meOf(as(app, { token }))).toMatchObject({ sites: [], rights: null });
  expect(await statusOf(as(app, { token, site: site.id }))).toBe(403);
  expect(await statusOf(as(app, { token, site: 'nowhere' }))).toBe(403);
  expect(await statusOf(as(app, { token: site.master, site: 'nowhere' }))).toBe(403);
  expect(await statusOf(as(app))).toBe(401);
  expect(await statusOf(as(app, { token: `${token}x` }))).toBe(401);
  // No other path goes without a site.
  for (const path of ['/members', '/roles', '/channels', '/openapi.json']) {
    expect([path, (await as(app, { token }).rest('GET', path)).status]).toEqual([path, 400]);
  }
  expect((await as(app, { token }).gql('{ me { kind } }')).status).toBe(400);
});
