// Session tokens: the customer that access is checked for (docs/contract.md §2).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mintToken } from '../../../src/auth/token.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Credentials } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser, type TestSite } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';

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
});
