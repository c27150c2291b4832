// GET /channels/{channel_id}/entries/count: the list's own total (docs/contract.md §5).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Credentials } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { expectProblem } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('allowed', () => {
  test('counts what the caller may list, and nothing else', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles', publishable: true });
    await buildEntry(db, channel);
    await buildEntry(db, channel, { status: 'draft' });
    await buildEntry(db, channel, { publishAt: new Date(Date.now() + 60_000) });
    await buildEntry(db, channel, { acl: { '*': { read: false }, ada: { read: true } } });
    await buildEntry(db, await buildChannel(db, site.id, { id: 'pages' }));
    const { session } = await buildCustomer(db, site.id, { id: 'ada' });
    const user = await buildUser(db, { memberOf: [site.id] });
    const counts: [Credentials, string, number][] = [
      [{ token: site.public }, '', 1],
      [{ token: site.public, session }, '', 2],
      [{ token: user.token, site: site.id }, '', 3],
      [{ token: site.master }, '', 4],
      [{ token: site.master }, '?use_acl=true', 3],
      [{ token: site.master, session }, '?use_acl=1', 4],
    ];
    for (const [credentials, query, count] of counts) {
      const answer = await as(app, credentials).rest('GET', `/channels/articles/entries/count${query}`);
      expect([credentials, query, answer.status, answer.body]).toEqual([credentials, query, 200, { count }]);
      const list = await as(app, credentials).rest('GET', `/channels/articles/entries${query}`);
      expect(list.headers.get('x-total-count')).toBe(String(count));
    }
  });
});

describe('invalid', () => {
  test.each(['page=1', 'per_page=1', 'sort=id'])('?%s is no parameter of a count: 400', async (query) => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    const answer = await as(app, { token: site.public }).rest('GET', `/channels/articles/entries/count?${query}`);
    expectProblem(answer, 'bad_request');
  });
});
