// Access tokens and the site header: each row of docs/contract.md §2's table, and what refuses them.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, send, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, buildToken, buildUser } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const path = '/channels/articles/entries';

function expectUnauthenticated(answer: RestAnswer<unknown>): void {
  expectProblem(answer, 'unauthenticated');
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
}

/** A request with an Authorization header just as it is given. */
function ask(authorization: string | string[], headers: Record<string, string> = {}): Promise<RestAnswer<unknown>> {
  return send(app, 'GET', path, { headers: { Authorization: authorization, ...headers } });
}

describe('allowed', () => {
  test('the three kinds: what each sees, sets and bypasses', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles', publishable: true, createScope: 'public' });
    await buildEntry(db, channel, { slug: 'published' });
    await buildEntry(db, channel, { slug: 'draft', status: 'draft' });
    await buildEntry(db, channel, { slug: 'denied', acl: { '*': { read: false } } });
    const user = await buildUser(db, { memberOf: [site.id] });
    const kinds = {
      master: { credentials: { token: site.master }, sees: ['denied', 'draft', 'published'], status: 'published' },
      public: { credentials: { token: site.public }, sees: ['published'], status: 'draft' },
      user: { credentials: { token: user.token, site: site.id }, sees: ['draft', 'published'], status: 'draft' },
    };
    for (const [kind, { credentials, sees }] of Object.entries(kinds)) {
      const { body } = await as(app, credentials).rest<{ slug: string }[]>('GET', path);
      expect([kind, body.map(({ slug }) => slug).sort()]).toEqual([kind, sees]);
    }
    for (const [kind, { credentials, status }] of Object.entries(kinds)) {
      const body = { _status: 'published', _owner: 'x' };
      const created = expectEntry(await as(app, credentials).rest('POST', path, { body }), 201);
      const stored = expectEntry(await as(app, { token: site.master }).rest('GET', `${path}/${created.id}`));
      expect([kind, stored._status, stored._owner]).toEqual([kind, status, kind === 'master' ? 'x' : null]);
    }
  });

  test('a site’s token with no site named, and with its own', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    for (const token of [site.master, site.public]) {
      expect((await as(app, { token }).rest('GET', path)).status).toBe(200);
      expect((await as(app, { token, site: site.id }).rest('GET', path)).status).toBe(200);
    }
  });

  test('a user works in each site of theirs, and in that one alone', async () => {
    const db = app.database.prisma;
    const [one, two] = [await buildSite(db), await buildSite(db)];
    await buildEntry(db, await buildChannel(db, one.id, { id: 'articles' }), { slug: 'in-one' });
    await buildEntry(db, await buildChannel(db, two.id, { id: 'articles' }), { slug: 'in-two' });
    const { token } = await buildUser(db, { memberOf: [one.id, two.id] });
    expectEntry(await as(app, { token, site: one.id }).rest('GET', `${path}/in-one`));
    expectEntry(await as(app, { token, site: two.id }).rest('GET', `${path}/in-two`));
    expectProblem(await as(app, { token, site: one.id }).rest('GET', `${path}/in-two`), 'not_found');
  });

  test('a token that expires later', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    const bound = { kind: 'public', siteId: site.id } as const;
    const { token } = await buildToken(app.database.prisma, bound, { expiresAt: new Date(Date.now() + 60_000) });
    expect((await as(app, { token }).rest('GET', path)).status).toBe(200);
  });

  test.each(['bearer', 'BEARER'])('the scheme as %s', async (scheme) => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    expect((await ask(`${scheme} ${site.public}`)).status).toBe(200);
  });
});

describe('denied: 401 with WWW-Authenticate', () => {
  test('a token that was revoked, or expired, since it was last used', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    await buildChannel(db, site.id, { id: 'articles' });
    const revoked = await buildToken(db, { kind: 'public', siteId: site.id });
    const expired = await buildToken(db, { kind: 'public', siteId: site.id });
    for (const { token } of [revoked, expired]) expect((await as(app, { token }).rest('GET', path)).status).toBe(200);
    await db.token.update({ where: { id: revoked.id }, data: { revokedAt: new Date() } });
    await db.token.update({ where: { id: expired.id }, data: { expiresAt: new Date() } });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    for (const { token } of [revoked, expired]) expectUnauthenticated(await as(app, { token }).rest('GET', path));
  });
});

describe('denied: the site', () => {
  test('a member who was removed: 403', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    await buildChannel(db, site.id, { id: 'articles' });
    const { id: userId, token } = await buildUser(db, { memberOf: [site.id] });
    expect((await as(app, { token, site: site.id }).rest('GET', path)).status).toBe(200);
    await db.membership.delete({ where: { siteId_userId: { siteId: site.id, userId } } });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expectProblem(await as(app, { token, site: site.id }).rest('GET', path), 'forbidden');
  });
});
