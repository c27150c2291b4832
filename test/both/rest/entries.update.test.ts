// PUT and PATCH /channels/{channel_id}/entries/{entry_id}: one and the same (docs/contract.md §5).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { expectEntry, expectProblem, type RestEntry } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const longAgo = new Date('2020-01-01T00:00:00.000Z');

describe.each(['PUT', 'PATCH'])('%s', (method) => {
  /** What an update by a master token makes of an entry, and what a fetch then gives. */
  async function updated(entry: { id: string; master: string }, body: unknown): Promise<RestEntry> {
    const caller = as(app, { token: entry.master });
    const path = `/channels/articles/entries/${entry.id}`;
    const answer = await caller.rest(method, path, { body });
    const fetched = await caller.rest('GET', path);
    expect(expectEntry(answer)).toEqual(fetched.body);
    expect(answer.headers.get('etag')).toBe(fetched.headers.get('etag'));
    return expectEntry(answer);
  }

  async function buildArticle(
    overrides: Parameters<typeof buildEntry>[2],
    { publishable = false }: { publishable?: boolean } = {},
  ): Promise<{ id: string; short_id: string; slug: string; master: string }> {
    const { prisma } = app.database;
    const { id: siteId, master } = await buildSite(prisma);
    const channel = await buildChannel(prisma, siteId, { id: 'articles', publishable });
    const { id, shortId, slug } = await buildEntry(prisma, channel, { createdAt: longAgo, ...overrides });
    return { id, short_id: shortId, slug, master };
  }

  describe('allowed', () => {
    test('members present are set, null clears, absent ones stay', async () => {
      const article = await buildArticle({
        slug: 'one',
        data: { title: 'One', year: 1927, tags: ['a', 'b'], note: 'x' },
      });
      const entry = await updated(article, { year: 1928, tags: ['c'], note: null, fresh: true });
      expect(entry).toMatchObject({ title: 'One', year: 1928, tags: ['c'], fresh: true, slug: 'one' });
      expect(entry['note'] ?? null).toBeNull();
      expect(entry.created_at).toBe(longAgo.toISOString());
      expect(Date.parse(entry.updated_at)).toBeGreaterThan(Date.now() - 60_000);
      expect(entry).toMatchObject({ id: article.id, short_id: article.short_id, channel: 'articles' });
    });

    test('an entry goes by its id, in any case, its short id and its slug', async () => {
      const article = await buildArticle({ slug: 'one', data: { n: 0 } });
      const names = [article.id, article.id.toUpperCase(), article.short_id, 'one'];
      for (const [n, name] of names.entries()) {
        const path = `/channels/articles/entries/${name}`;
        const answer = await as(app, { token: article.master }).rest(method, path, { body: { n: n + 1 } });
        expect(expectEntry(answer)).toMatchObject({ id: article.id, n: n + 1 });
      }
    });

    test('nested values and _acl are replaced whole', async () => {
      const article = await buildArticle({
        acl: { ada: { read: true, update: true }, bob: { read: true } },
        data: { place: { city: 'Berlin', zip: { a: 1 } } },
      });
      const entry = await updated(article, { place: { zip: {} }, _acl: { ada: { read: false } } });
      expect(entry['place']).toEqual({ zip: {} });
      expect(entry._acl).toEqual({ ada: { read: false } });
    });

    test('_acl: null is {}', async () => {
      const entry = await updated(await buildArticle({ acl: { ada: { read: true } } }), { _acl: null });
      expect(entry._acl).toEqual({});
    });

    test('a master token sets _owner, _status and _publish_at, and clears the two that can be cleared', async () => {
      const article = await buildArticle({ owner: 'ada', status: 'draft' }, { publishable: true });
      const set = { _owner: 'bob', _status: 'scheduled', _publish_at: '2031-02-03T04:05:06.789Z' };
      expect(await updated(article, set)).toMatchObject(set);
      const cleared = { _owner: null, _status: 'published', _publish_at: null };
      expect(await updated(article, cleared)).toMatchObject(cleared);
    });

    test('a new title changes title_field_value and never the slug; slug: null makes it anew', async () => {
      const article = await buildArticle({ slug: 'one', data: { title: 'One' } });
      expect(await updated(article, { title: 'Two' })).toMatchObject({ title_field_value: 'Two', slug: 'one' });
      expect(await updated(article, { title: null })).toMatchObject({ title_field_value: null, slug: 'one' });
      expect(await updated(article, { title: 'Three', slug: null })).toMatchObject({ slug: 'three' });
      expect(await updated(article, { slug: 'own-choice' })).toMatchObject({ slug: 'own-choice', title: 'Three' });
    });

    test('an update that changes nothing changes neither version nor updated_at', async () => {
      const article = await buildArticle({
        slug: 'one',
        acl: { ada: { read: true } },
        data: { title: 'One', a: { b: [1] } },
      });
      const caller = as(app, { token: article.master });
      const path = `/channels/articles/entries/${article.id}`;
      const before = await caller.rest('GET', path);
      const read = expectEntry(before);
      const same = [
        {},
        { title: 'One' },
        { absent: null },
        { a: { b: [1] } },
        { slug: null, title: 'One' },
        { id: 'x' },
      ];
      for (const body of [...same, read]) {
        const answer = await caller.rest(method, path, { body });
        expect([body, answer.status, answer.body]).toEqual([body, 200, read]);
        expect(answer.headers.get('etag')).toBe(before.headers.get('etag'));
      }
      const changed = await caller.rest(method, path, { body: { a: { b: [2] } } });
      expect(expectEntry(changed).updated_at).not.toBe(read.updated_at);
      expect(changed.headers.get('etag')).not.toBe(before.headers.get('etag'));
    });

    test('what was read can be sent back with a change', async () => {
      const article = await buildArticle({
        slug: 'one',
        owner: 'ada',
        acl: { bob: { read: true } },
        data: { title: 'One' },
      });
      const caller = as(app, { token: article.master });
      const read = expectEntry(await caller.rest('GET', `/channels/articles/entries/${article.id}`));
      const { updated_at: _before, ...stays } = read;
      const { updated_at: _after, ...entry } = await updated(article, { ...read, year: 1927 });
      expect(entry).toEqual({ ...stays, year: 1927 });
    });

    test('a member named like a property of all objects is a member', async () => {
      const entry = await updated(await buildArticle({ data: { toString: 'x', title: 't' } }), {
        constructor: 'y',
        title: 'u',
      });
      expect(entry).toMatchObject({ toString: 'x', constructor: 'y', title: 'u' });
    });
  });

  describe('denied', () => {
    test('404 where there is no such entry, by any kind of name, in this channel', async () => {
      const { prisma } = app.database;
      const site = await buildSite(prisma);
      await buildChannel(prisma, site.id, { id: 'articles' });
      const elsewhere = await buildEntry(prisma, await buildChannel(prisma, site.id, { id: 'pages' }), { slug: 'one' });
      const otherSite = await buildSite(prisma);
      const foreign = await buildEntry(prisma, await buildChannel(prisma, otherSite.id, { id: 'articles' }), {
        slug: 'two',
      });
      const names = [
        elsewhere.id,
        elsewhere.shortId,
        'one',
        foreign.id,
        foreign.shortId,
        'two',
        'Not a Name',
        '__proto__',
      ];
      for (const name of names) {
        const path = `/channels/articles/entries/${encodeURIComponent(name)}`;
        expectProblem(await as(app, { token: site.master }).rest(method, path, { body: { n: 1 } }), 'not_found');
      }
    });

    test('403 where the caller may read it, and nothing is stored', async () => {
      const { prisma } = app.database;
      const site = await buildSite(prisma);
      const channel = await buildChannel(prisma, site.id, { id: 'articles', readScope: 'public', updateScope: 'none' });
      const { id } = await buildEntry(prisma, channel, { data: { title: 'One' } });
      const path = `/channels/articles/entries/${id}`;
      const before = await as(app, { token: site.master }).rest('GET', path);
      const refused = await as(app, { token: site.public }).rest(method, path, { body: { title: 'Two', _bad: 1 } });
      expectProblem(refused, 'forbidden');
      const after = await as(app, { token: site.master }).rest('GET', path);
      expect([after.body, after.headers.get('etag')]).toEqual([before.body, before.headers.get('etag')]);
    });
  });

  describe('invalid', () => {
    const payloads: [body: Record<string, unknown>, fields: string[]][] = [
      [{ slug: 'Not a slug' }, ['slug']],
      [{ _status: null }, ['_status']],
      [{ _status: 'live' }, ['_status']],
      [{ _status: 'scheduled' }, ['_publish_at']],
      [{ _publish_at: 'tomorrow' }, ['_publish_at']],
      [{ _acl: { ada: { read: 'yes' } } }, ['_acl']],
      [{ _acl: [] }, ['_acl']],
      [{ _owner: {} }, ['_owner']],
      [{ _mine: 1 }, ['_mine']],
      [{ title: 'fine', slug: 'count', _owner: 1 }, ['slug', '_owner']],
    ];
    test.each(payloads)('%j is 422, and nothing is stored', async (body, fields) => {
      const article = await buildArticle({ slug: 'one', data: { title: 'One' } }, { publishable: true });
      const path = `/channels/articles/entries/${article.id}`;
      const caller = as(app, { token: article.master });
      const before = await caller.rest('GET', path);
      expectProblem(await caller.rest(method, path, { body: { ...body, year: 1 } }), 'validation_failed', fields);
      expect((await caller.rest('GET', path)).body).toEqual(before.body);
    });

    test('a scheduled entry keeps needing its time', async () => {
      const time = new Date('2031-01-01T00:00:00.000Z');
      const article = await buildArticle({ status: 'scheduled', publishAt: time }, { publishable: true });
      const path = `/channels/articles/entries/${article.id}`;
      const caller = as(app, { token: article.master });
      expectProblem(await caller.rest(method, path, { body: { _publish_at: null } }), 'validation_failed', [
        '_publish_at',
      ]);
      expect(await updated(article, { _status: 'scheduled' })).toMatchObject({ _publish_at: time.toISOString() });
    });
  });
});
