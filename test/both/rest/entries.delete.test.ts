// DELETE /channels/{channel_id}/entries/{entry_id} (docs/contract.md §3, §5).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { expectEntry, expectProblem, tellingOf } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('allowed', () => {
  test('204 without a body; the entry is gone, its neighbours are not, and a second time it is 404', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles' });
    await buildEntry(db, channel, { slug: 'one' });
    await buildEntry(db, channel, { slug: 'two' });
    const elsewhere = await buildChannel(db, site.id, { id: 'pages' });
    await buildEntry(db, elsewhere, { slug: 'one' });
    const master = as(app, { token: site.master });
    const answer = await master.rest('DELETE', '/channels/articles/entries/one');
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([204, '', null]);
    expectProblem(await master.rest('GET', '/channels/articles/entries/one'), 'not_found');
    expectProblem(await master.rest('DELETE', '/channels/articles/entries/one'), 'not_found');
    expectEntry(await master.rest('GET', '/channels/articles/entries/two'));
    expectEntry(await master.rest('GET', '/channels/pages/entries/one'));
  });

  test('an entry goes by its id, its short id and its slug', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles' });
    const master = as(app, { token: site.master });
    for (const name of ['id', 'shortId', 'slug'] as const) {
      const entry = await buildEntry(db, channel);
      expect((await master.rest('DELETE', `/channels/articles/entries/${entry[name]}`)).status).toBe(204);
      expectProblem(await master.rest('GET', `/channels/articles/entries/${entry.id}`), 'not_found');
    }
  });

  test('the slug of a deleted entry is free again', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const old = await buildEntry(db, await buildChannel(db, site.id, { id: 'articles' }), { slug: 'one' });
    const master = as(app, { token: site.master });
    await master.rest('DELETE', '/channels/articles/entries/one');
    const fresh = expectEntry(await master.rest('POST', '/channels/articles/entries', { body: { slug: 'one' } }), 201);
    expect(fresh.id).not.toBe(old.id);
    expectProblem(await master.rest('GET', `/channels/articles/entries/${old.id}`), 'not_found');
  });
});

describe('denied', () => {
  test('403 where the caller may read it, 404 where not, alike with an absent one; nothing is deleted', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles', readScope: 'public', deleteScope: 'none' });
    await buildEntry(db, channel, { slug: 'seen' });
    await buildEntry(db, channel, { slug: 'hidden', acl: { '*': { read: false } } });
    const caller = as(app, { token: site.public });
    expectProblem(await caller.rest('DELETE', '/channels/articles/entries/seen'), 'forbidden');
    const hidden = await caller.rest('DELETE', '/channels/articles/entries/hidden');
    expectProblem(hidden, 'not_found');
    expect(tellingOf(hidden)).toEqual(tellingOf(await caller.rest('DELETE', '/channels/articles/entries/absent')));
    const left = await as(app, { token: site.master }).rest('GET', '/channels/articles/entries/count');
    expect(left.body).toEqual({ count: 2 });
  });

  test('404 for an entry of another channel or site', async () => {
    const db = app.database.prisma;
    const [site, other] = [await buildSite(db), await buildSite(db)];
    await buildChannel(db, site.id, { id: 'articles' });
    const elsewhere = await buildEntry(db, await buildChannel(db, site.id, { id: 'pages' }), { slug: 'one' });
    const foreign = await buildEntry(db, await buildChannel(db, other.id, { id: 'articles' }), { slug: 'two' });
    const master = as(app, { token: site.master });
    for (const name of [elsewhere.id, elsewhere.shortId, 'one', foreign.id, foreign.shortId, 'two']) {
      expectProblem(await master.rest('DELETE', `/channels/articles/entries/${name}`), 'not_found');
    }
    expectEntry(await as(app, { token: other.master }).rest('GET', '/channels/articles/entries/two'));
  });
});
