// GET /channels/{channel_id}/entries/{entry_id} (docs/contract.md §1, §5).
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
  test('an entry goes by its id, in any case, its short id and its slug, and is the same each time', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles' });
    const createdAt = new Date('2021-02-03T04:05:06.007Z');
    const { id, shortId } = await buildEntry(db, channel, { slug: 'one', createdAt, data: { title: 'One', n: 1 } });
    const caller = as(app, { token: site.public });
    const answer = await caller.rest('GET', '/channels/articles/entries/one');
    expect(expectEntry(answer)).toEqual({
      id,
      url: `${app.url}/channels/articles/entries/${id}`,
      short_id: shortId,
      slug: 'one',
      channel: 'articles',
      created_at: '2021-02-03T04:05:06.007Z',
      updated_at: '2021-02-03T04:05:06.007Z',
      title_field_value: 'One',
      _status: 'published',
      _publish_at: null,
      title: 'One',
      n: 1,
    });
    for (const name of [id, id.toUpperCase(), shortId]) {
      const same = await caller.rest('GET', `/channels/articles/entries/${name}`);
      expect(tellingOf(same)).toEqual(tellingOf(answer));
    }
  });

  test('a slug is its channel’s, a short id and an id too', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const [a, b] = [await buildChannel(db, site.id, { id: 'a' }), await buildChannel(db, site.id, { id: 'b' })];
    const [one, other] = [await buildEntry(db, a, { slug: 'same' }), await buildEntry(db, b, { slug: 'same' })];
    const caller = as(app, { token: site.public });
    expect(expectEntry(await caller.rest('GET', '/channels/a/entries/same')).id).toBe(one.id);
    expect(expectEntry(await caller.rest('GET', '/channels/b/entries/same')).id).toBe(other.id);
    expectProblem(await caller.rest('GET', `/channels/a/entries/${other.id}`), 'not_found');
    expectProblem(await caller.rest('GET', `/channels/a/entries/${other.shortId}`), 'not_found');
  });

  test('a short id goes by its exact letters', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const { shortId } = await buildEntry(db, await buildChannel(db, site.id, { id: 'articles' }));
    const answer = await as(app, { token: site.public }).rest(
      'GET',
      `/channels/articles/entries/${shortId.toLowerCase()}`,
    );
    expectProblem(answer, 'not_found');
  });
});

describe('denied', () => {
  test('a hidden entry and an absent one are answered alike, to the byte but for the request’s id', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const articles = await buildChannel(db, site.id, { id: 'articles', publishable: true });
    const hidden = [
      await buildEntry(db, articles, { slug: 'denied', acl: { '*': { read: false } } }),
      await buildEntry(db, articles, { slug: 'draft', status: 'draft' }),
      await buildEntry(db, articles, { slug: 'later', publishAt: new Date(Date.now() + 60_000) }),
    ];
    const other = await buildSite(db);
    const foreign = await buildEntry(db, await buildChannel(db, other.id, { id: 'articles' }), { slug: 'foreign' });
    const caller = as(app, { token: site.public });
    const absent = await caller.rest('GET', '/channels/articles/entries/0192f1a0-0000-7000-8000-000000000000');
    expectProblem(absent, 'not_found');
    const names = [...hidden, foreign].flatMap(({ id, shortId, slug }) => [id, shortId, slug]);
    for (const name of [...names, 'nothing-here', 'No Name']) {
      const answer = await caller.rest('GET', `/channels/articles/entries/${encodeURIComponent(name)}`);
      expect([name, tellingOf(answer)]).toEqual([name, tellingOf(absent)]);
    }
    for (const { slug } of hidden) {
      expectEntry(await as(app, { token: site.master }).rest('GET', `/channels/articles/entries/${slug}`));
    }
  });

  test('an unknown channel is 404 for every token', async () => {
    const db = app.database.prisma;
    const [site, other] = [await buildSite(db), await buildSite(db)];
    await buildEntry(db, await buildChannel(db, other.id, { id: 'theirs' }), { slug: 'one' });
    for (const token of [site.public, site.master]) {
      for (const channel of ['theirs', 'nowhere', 'No-Handle', '__proto__']) {
        expectProblem(await as(app, { token }).rest('GET', `/channels/${channel}/entries/one`), 'not_found');
      }
    }
  });
});
