// Published holes of systems like this one, by the shapes V1 to V26, tried here: what a token may manage, and when a
// right ends.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { as, type Caller, type Credentials } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser, type TestSite } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { stateOf } from '../../support/sites.ts';
import { suiteSites } from '../../support/scene.ts';

const { app, sites } = await suiteSites();

/** What a caller's next request gets, by both doors. */
async function statuses(credentials: Credentials, path = '/channels/door/entries/one'): Promise<number[]> {
  const caller = as(app, credentials);
  return [(await caller.rest('GET', path)).status, (await caller.gql('{ channels { id } }')).status];
}

describe('V12: a lesser token that is let into what it may not manage', () => {
  const mutations = [
    'createToken(input: { kind: MASTER }) { token }',
    'createSession(customer: "ada") { token }',
    'createCustomer(input: { roles: ["admin"] }) { id }',
    'updateCustomer(id: "ada", input: { roles: ["admin", "master"] }) { id }',
    'updateChannel(id: "articles", input: { acl: { read: PUBLIC, create: PUBLIC } }) { id }',
    'deleteChannel(id: "articles", confirm: "articles") ',
  ];

  test('no flag, header, role or method lets a public token manage the site', async () => {
    const { prisma } = app.database;
    const { id: siteId } = sites.here.site;
    const roles = ['master', 'admin', 'root', 'id:admin', 'role:master'];
    const { session } = await buildCustomer(prisma, siteId, { id: 'master', roles });
    const user = await buildUser(prisma, { memberOf: [siteId] });
    const before = await stateOf(sites, sites.here);
    const credentials = [
      { token: sites.here.site.public, session },
      { token: user.token, site: siteId, session },
    ];
    const tricks: { path?: string; headers?: Record<string, string> }[] = [
      {},
      ...['true', 'false', '0', '1'].map((value) => ({ path: `/graphql?use_acl=${value}` })),
      ...[
        { 'X-HTTP-Method-Override': 'DELETE' },
        { 'X-Master-Key': sites.here.site.id },
        { 'X-Role': 'master' },
        { 'X-Original-URL': '/' },
        { Cookie: 'role=master' },
      ].map((headers) => ({ headers })),
    ];
    for (const each of credentials) {
      for (const trick of tricks) {
        for (const mutation of mutations) {
          const { errors } = await as(app, each).gql(`mutation { ${mutation} }`, {}, trick);
          expect([mutation, trick, errors?.map(({ extensions }) => extensions.code)]).toEqual([
            mutation,
            trick,
            ['FORBIDDEN'],
          ]);
        }
      }
    }
    expect(await stateOf(sites, sites.here)).toBe(before);
  });
});

describe('V13: what was taken away and goes on working', () => {
  async function build(): Promise<{ site: TestSite; master: Caller; bob: { session: string; sessionId: string } }> {
    const { prisma } = app.database;
    const site = await buildSite(prisma);
    const channel = await buildChannel(prisma, site.id, { id: 'door', readScope: 'none' });
    await buildEntry(prisma, channel, { slug: 'one', acl: { 'role:staff': { read: true }, '*': { read: false } } });
    const bob = await buildCustomer(prisma, site.id, { id: 'bob', roles: ['staff'] });
    return { site, master: as(app, { token: site.master }), bob };
  }

  test('the next request with a revoked token is refused', async () => {
    const { site, master, bob } = await build();
    const { createToken } = expectData(
      await master.gql<{ createToken: { id: string; token: string } }>(
        'mutation { createToken(input: { kind: PUBLIC }) { id token } }',
      ),
    );
    const credentials = { token: createToken.token, session: bob.session };
    expect(await statuses(credentials)).toEqual([200, 200]);
    expectData(await master.gql(`mutation { revokeToken(id: "${createToken.id}") }`));
    expect(await statuses(credentials)).toEqual([401, 401]);
    expect(await statuses({ token: site.public, session: bob.session })).toEqual([200, 200]);
  });

  test('the next request with an ended or expired session is refused', async () => {
    const { site, master, bob } = await build();
    const credentials = { token: site.public, session: bob.session };
    expect(await statuses(credentials)).toEqual([200, 200]);
    expectData(await master.gql(`mutation { revokeSession(id: "${bob.sessionId}") }`));
    expect(await statuses(credentials)).toEqual([401, 401]);
    const { createSession } = expectData(
      await master.gql<{ createSession: { token: string } }>(
        'mutation { createSession(customer: "bob", ttlSeconds: 1) { token } }',
      ),
    );
    const short = { token: site.public, session: createSession.token };
    await sleep(1_100);
    expect(await statuses(short)).toEqual([401, 401]);
  });

  test('the next request after the loss of a role, a membership, a grant or a scope has no right by it', async () => {
    const { site, master, bob } = await build();
    const credentials = { token: site.public, session: bob.session };
    expect(await statuses(credentials)).toEqual([200, 200]);
    expectData(await master.gql('mutation { updateCustomer(id: "bob", input: { roles: [] }) { id } }'));
    expect(await statuses(credentials)).toEqual([404, 200]);
    expectData(await master.gql('mutation { updateCustomer(id: "bob", input: { roles: ["staff"] }) { id } }'));
    expect(await statuses(credentials)).toEqual([200, 200]);
    expect((await master.rest('PATCH', '/channels/door/entries/one', { body: { _acl: {} } })).status).toBe(200);
    expect(await statuses(credentials)).toEqual([404, 200]);
    expectData(await master.gql('mutation { updateChannel(id: "door", input: { acl: { read: SHARED } }) { id } }'));
    expect(await statuses(credentials)).toEqual([200, 200]);
    expectData(await master.gql('mutation { updateChannel(id: "door", input: { acl: { read: NONE } }) { id } }'));
    expect(await statuses(credentials)).toEqual([404, 200]);

    const user = await buildUser(app.database.prisma, { memberOf: [site.id] });
    const member = { token: user.token, site: site.id };
    expect(await statuses(member)).toEqual([404, 200]);
    // By another process: within a second.
    await app.database.prisma.membership.deleteMany({ where: { siteId: site.id, userId: user.id } });
    await sleep(1_000);
    expect(await statuses(member)).toEqual([403, 403]);
  });
});
