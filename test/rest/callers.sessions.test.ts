// Session tokens: the customer that access is checked for (service.md §5, contract §2).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mintToken } from '../../src/auth/token.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as, type Credentials } from '../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser, type TestSite } from '../support/build.ts';
import { expectEntry, expectProblem, tellingOf } from '../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const path = '/channels/articles/entries/hers';

/** A site with the entry `hers`, which nobody but the customer ada may read. */
async function buildHers(): Promise<{ site: TestSite; session: string; sessionId: string; user: Credentials }> {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { id: 'articles', readScope: 'none' });
  await buildEntry(db, channel, { slug: 'hers', acl: { ada: { read: true } } });
  const { session, sessionId } = await buildCustomer(db, site.id, { id: 'ada' });
  const { token } = await buildUser(db, { memberOf: [site.id] });
  return { site, session, sessionId, user: { token, site: site.id } };
}

/** The tokens that sessions go with; for each, access is checked. */
function tokensOf({ site, user }: { site: TestSite; user: Credentials }): [Credentials, query: string][] {
  return [
    [{ token: site.public }, ''],
    [user, ''],
    [{ token: site.master }, '?use_acl=true'],
  ];
}

describe('allowed', () => {
  test('either header names the customer, and both do where they agree', async () => {
    const hers = await buildHers();
    const { session } = hers;
    for (const [credentials, query] of tokensOf(hers)) {
      const caller = as(app, credentials);
      for (const headers of [
        { 'Session-Token': session },
        { 'X-Service-Session-Token': session },
        { 'Session-Token': session, 'X-Service-Session-Token': session },
      ]) {
        expectEntry(await caller.rest('GET', path + query, { headers }));
      }
      expectProblem(await caller.rest('GET', path + query), 'not_found');
    }
  });

  test('each session of a customer stands for them', async () => {
    const { site, session } = await buildHers();
    const { token, hash } = mintToken('session');
    const now = new Date();
    const expiresAt = new Date(now.getTime() + 60_000);
    await app.database.prisma.session.create({
      data: { siteId: site.id, id: crypto.randomUUID(), customerId: 'ada', hash, createdAt: now, expiresAt },
    });
    for (const each of [session, token]) {
      expectEntry(await as(app, { token: site.public, session: each }).rest('GET', path));
    }
  });

  test('a role counts from the request that follows its change', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles', readScope: 'none' });
    await buildEntry(db, channel, { slug: 'hers', acl: { 'role:editor': { read: true } } });
    const { id, session } = await buildCustomer(db, site.id, { roles: ['reader'] });
    const caller = as(app, { token: site.public, session });
    expectProblem(await caller.rest('GET', path), 'not_found');
    for (const [roles, status] of [
      [['reader', 'editor'], 200],
      [['reader'], 404],
    ] as const) {
      await db.customer.update({ where: { siteId_id: { siteId: site.id, id } }, data: { roles: [...roles] } });
      await new Promise((resolve) => setTimeout(resolve, 1000));
      expect([roles, (await caller.rest('GET', path)).status]).toEqual([roles, status]);
    }
  });

  test('the same customer id in two sites is two customers', async () => {
    const [here, there] = [await buildHers(), await buildHers()];
    expectEntry(await as(app, { token: here.site.public, session: here.session }).rest('GET', path));
    expectProblem(
      await as(app, { token: here.site.public, session: there.session }).rest('GET', path),
      'unauthenticated',
    );
  });
});

describe('denied: 401, never treated as anonymous', () => {
  test('malformed, unknown, of another kind, of another site, expired, revoked', async () => {
    const db = app.database.prisma;
    const hers = await buildHers();
    const { site, session, user } = hers;
    // Anonymous visitors may read this one.
    const open = await buildChannel(db, site.id, { id: 'open' });
    await buildEntry(db, open, { slug: 'one' });
    const past = new Date(Date.now() - 1000);
    const sessions = [
      '',
      'nonsense',
      session.slice(0, -1),
      session.slice(0, -1) + (session.endsWith('a') ? 'b' : 'a'),
      `${session}, ${session}`,
      mintToken('session').token,
      site.public,
      site.master,
      user.token ?? '',
      (await buildCustomer(db, (await buildSite(db)).id)).session,
      (await buildCustomer(db, site.id, {}, { expiresAt: past })).session,
      (await buildCustomer(db, site.id, {}, { revokedAt: past })).session,
    ];
    for (const [credentials, query] of [...tokensOf(hers), [{ token: site.master }, ''] as const]) {
      const caller = as(app, credentials);
      const answers = [];
      for (const each of sessions) {
        for (const name of ['Session-Token', 'X-Service-Session-Token']) {
          const target = `/channels/open/entries/one${query}`;
          answers.push(await caller.rest('GET', target, { headers: { [name]: each } }));
        }
      }
      for (const answer of answers) expectProblem(answer, 'unauthenticated');
      expect(answers[0]?.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
      expect(new Set(answers.map((answer) => JSON.stringify(tellingOf(answer)))).size).toBe(1);
    }
  });

  test('one that was revoked, or expired, since it was last used', async () => {
    const { prisma } = app.database;
    for (const data of [{ revokedAt: new Date() }, { expiresAt: new Date() }]) {
      const { site, session, sessionId } = await buildHers();
      const caller = as(app, { token: site.public, session });
      expectEntry(await caller.rest('GET', path));
      await prisma.session.update({ where: { siteId_id: { siteId: site.id, id: sessionId } }, data });
      await new Promise((resolve) => setTimeout(resolve, 1000));
      expectProblem(await caller.rest('GET', path), 'unauthenticated');
    }
  });

  test('a session alone is no access token', async () => {
    const { session } = await buildHers();
    expectProblem(await as(app, { session }).rest('GET', path), 'unauthenticated');
  });
});

describe('invalid', () => {
  test('both headers with different values: 400, also where one of them holds', async () => {
    const hers = await buildHers();
    const bob = await buildCustomer(app.database.prisma, hers.site.id, { id: 'bob' });
    for (const [credentials, query] of tokensOf(hers)) {
      for (const [short, long] of [
        [hers.session, bob.session],
        [bob.session, hers.session],
        [hers.session, ''],
        ['', hers.session],
        [hers.session, 'nonsense'],
      ] as const) {
        const headers = { 'Session-Token': short, 'X-Service-Session-Token': long };
        expectProblem(await as(app, credentials).rest('GET', path + query, { headers }), 'bad_request');
      }
    }
  });
});
