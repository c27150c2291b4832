// Published holes of systems like this one, by the shapes V1 to V26, tried here: who somebody is taken for, and what of
// the inside poses as content.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { suiteSites } from '../../support/scene.ts';
import { words } from '../../support/words.ts';

const { app, sites } = await suiteSites();

/** The slugs that a caller is shown of a channel, by both doors. */
async function seen(caller: Caller, channel: string): Promise<string[]> {
  const { body } = await caller.rest<{ slug: string }[]>('GET', `/channels/${channel}/entries?sort=slug`);
  const query = `{ entries(channel: "${channel}", sort: "slug") { totalCount nodes { slug } } }`;
  const { entries } = expectData(
    await caller.gql<{ entries: { totalCount: number; nodes: { slug: string }[] } }>(query),
  );
  const slugs = body.map(({ slug }) => slug);
  expect([entries.nodes.map(({ slug }) => slug), entries.totalCount]).toEqual([slugs, slugs.length]);
  return slugs;
}

describe('V9: a name that passes for another kind of actor', () => {
  test.each(['role:admin', 'role:', 'id:ada', 'id:', '*', 'users', ''])(
    'no customer can have the id %j',
    async (id) => {
      const query = 'mutation ($id: ID!) { createCustomer(input: { id: $id, roles: ["x"] }) { id } }';
      const { data, errors } = await sites.ask('master').gql(query, { id });
      expect([data, errors?.[0]?.extensions.code]).toEqual([{ createCustomer: null }, 'BAD_USER_INPUT']);
    },
  );

  test('ids and roles that resemble others match only themselves', async () => {
    const { prisma } = app.database;
    const site = await buildSite(prisma);
    const channel = await buildChannel(prisma, site.id, { id: 'door', readScope: 'none' });
    const actors = [
      ...words('role:admin id:admin users * admin:role Role:admin ROLE:admin гole:admin rolе:admin role：admin Users'),
      ...words('ｕsers ＊ role:id:ada role:* role:users USERS *x ** role id аda ﬀ'),
      ...words('__proto__ constructor hasOwnProperty role:__proto__ role:constructor role:toString'),
      ...[' role:admin', 'role: admin', 'ada '],
    ];
    for (const [index, actor] of actors.entries()) {
      await buildEntry(prisma, channel, {
        slug: `a-${String(index).padStart(2, '0')}`,
        acl: { [actor]: { read: true } },
      });
    }
    const everyone = ['users', '*'];
    const expected: [id: string, roles: string[], matches: string[]][] = [
      ['admin', [], ['id:admin']],
      ['other', ['admin'], ['role:admin']],
      ['Role:admin', [], ['Role:admin']],
      ['ROLE:admin', [], ['ROLE:admin']],
      [' role:admin', [], [' role:admin']],
      ['гole:admin', [], ['гole:admin']],
      ['rolе:admin', [], ['rolе:admin']],
      ['role：admin', [], ['role：admin']],
      ['admin:role', [' admin'], ['admin:role', 'role: admin']],
      ['Users', ['Admin', 'ADMIN'], ['Users']],
      ['ｕsers', ['users'], ['ｕsers', 'role:users']],
      ['＊', ['*'], ['＊', 'role:*']],
      ['ada', ['id:ada', 'role:admin', 'ada', 'editor'], ['role:id:ada']],
      ['ff', ['__proto__', 'constructor', 'toString'], ['role:__proto__', 'role:constructor', 'role:toString']],
      ...[...words('USERS *x ** role id аda ﬀ __proto__ constructor hasOwnProperty'), 'ada '].map(
        (own): [string, string[], string[]] => [own, [], [own]],
      ),
    ];
    for (const [id, roles, matches] of expected) {
      const { session } = await buildCustomer(prisma, site.id, { id, roles });
      const slugs = await seen(as(app, { token: site.public, session }), 'door');
      const found = slugs.map((slug) => actors[Number(slug.slice(2))]);
      expect([id, found.sort()]).toEqual([id, [...everyone, ...matches].sort()]);
    }
    expect(await seen(as(app, { token: site.public }), 'door')).toEqual(['a-03']);
  });
});

describe('V10: a table of the inside that is written like any other', () => {
  const tables = words(`tokens sessions customers channels entries users sites memberships _session _role roles
    _prisma_migrations pg_catalog information_schema`);

  test('an internal table is a channel to no caller', async () => {
    for (const kind of ['public', 'public+ada', 'user', 'master']) {
      for (const table of tables) {
        const path = `/channels/${table}/entries`;
        const asked = [
          await sites.ask(kind).rest('GET', path),
          await sites.ask(kind).rest('POST', path, { body: { id: 'x' } }),
        ];
        expect([kind, table, asked.map(({ status }) => status)]).toEqual([kind, table, [404, 404]]);
      }
    }
  });

  test('a channel named like an internal table has entries, and neither its rows nor rights', async () => {
    const { prisma } = app.database;
    const site = await buildSite(prisma);
    const { session } = await buildCustomer(prisma, site.id, { id: 'ada' });
    const before = await prisma.customer.findMany({ where: { siteId: site.id }, take: 10 });
    for (const table of tables.filter((name) => /^[a-z]/.test(name))) {
      await buildChannel(prisma, site.id, { id: table, createScope: 'public', updateScope: 'public' });
      const caller = as(app, { token: site.public, session });
      expect(await seen(caller, table)).toEqual([]);
      const body = {
        ...{ id: 'ada', roles: ['admin'], role: 'admin', hash: 'x', kind: 'master' },
        ...{ site_id: site.id, revoked_at: null, slug: 'mine' },
      };
      expect((await caller.rest('POST', `/channels/${table}/entries`, { body })).status).toBe(201);
      expect((await caller.rest('PUT', `/channels/${table}/entries/mine`, { body: { roles: ['*'] } })).status).toBe(
        200,
      );
    }
    expect(await prisma.customer.findMany({ where: { siteId: site.id }, take: 10 })).toEqual(before);
    expect(await prisma.token.count({ where: { siteId: site.id } })).toBe(2);
  });
});
