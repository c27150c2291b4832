// PUT and PATCH /channels/{channel_id}/entries/{entry_id}: one and the same (docs/contract.md §5).
import { describe, expect, test } from '@jest/globals';
import type { EntryRow } from '../../../src/entries/row.ts';
import type { Caller } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { expectEntry, expectProblem, type RestEntry } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const longAgo = new Date('2020-01-01T00:00:00.000Z');

interface Article {
  readonly master: Caller;
  readonly path: string;
  readonly row: EntryRow;
}

async function buildArticle(
  entry: Parameters<typeof buildEntry>[2],
  channel: Parameters<typeof buildScene>[1] = {},
): Promise<Article> {
  const { db, channel: articles, master } = await buildScene(app, channel);
  const row = await buildEntry(db, articles, { createdAt: longAgo, ...entry });
  return { master, row, path: `/channels/articles/entries/${row.id}` };
}

describe.each(['PUT', 'PATCH'])('%s', (method) => {
  /** What an update by a master token makes of an entry, and what a fetch then gives. */
  async function updated({ master, path }: Article, body: unknown): Promise<RestEntry> {
    const answer = await master.rest(method, path, { body });
    const fetched = await master.rest('GET', path);
    expect(expectEntry(answer)).toEqual(fetched.body);
    expect(answer.headers.get('etag')).toBe(fetched.headers.get('etag'));
    return expectEntry(answer);
  }

  describe('allowed', () => {
    test('an update sets sent members, clears null ones and leaves absent ones', async () => {
      const article = await buildArticle({
        slug: 'one',
        data: { title: 'One', year: 1927, tags: ['a', 'b'], note: 'x' },
      });
      const entry = await updated(article, { year: 1928, tags: ['c'], note: null, fresh: true });
      expect(entry).toMatchObject({ title: 'One', year: 1928, tags: ['c'], fresh: true, slug: 'one' });
      expect(entry['note'] ?? null).toBeNull();
      expect(entry.created_at).toBe(longAgo.toISOString());
      expect(Date.parse(entry.updated_at)).toBeGreaterThan(Date.now() - 60_000);
      expect(entry).toMatchObject({ id: article.row.id, short_id: article.row.shortId, channel: 'articles' });
    });

    test('an update replaces nested values and _acl as a whole', async () => {
      const article = await buildArticle({
        acl: { ada: { read: true, update: true }, bob: { read: true } },
        data: { place: { city: 'Berlin', zip: { a: 1 } } },
      });
      const entry = await updated(article, { place: { zip: {} }, _acl: { ada: { read: false } } });
      expect(entry['place']).toEqual({ zip: {} });
      expect(entry._acl).toEqual({ ada: { read: false } });
      expect((await updated(article, { _acl: null }))._acl).toEqual({});
    });

    test('an update by a master token sets _owner, _status and _publish_at, and clears _owner and _publish_at', async () => {
      const article = await buildArticle({ owner: 'ada', status: 'draft' }, { publishable: true });
      const set = { _owner: 'bob', _status: 'scheduled', _publish_at: '2031-02-03T04:05:06.789Z' };
      expect(await updated(article, set)).toMatchObject(set);
      const cleared = { _owner: null, _status: 'published', _publish_at: null };
      expect(await updated(article, cleared)).toMatchObject(cleared);
    });

    test('an update of the title changes title_field_value and not the slug, and slug: null makes a new slug', async () => {
      const article = await buildArticle({ slug: 'one', data: { title: 'One' } });
      expect(await updated(article, { title: 'Two' })).toMatchObject({ title_field_value: 'Two', slug: 'one' });
      expect(await updated(article, { title: null })).toMatchObject({ title_field_value: null, slug: 'one' });
      expect(await updated(article, { title: 'Three', slug: null })).toMatchObject({ slug: 'three' });
      expect(await updated(article, { slug: 'own-choice' })).toMatchObject({ slug: 'own-choice', title: 'Three' });
    });

    test('an update that changes nothing changes neither version nor updated_at', async () => {
      const data = { title: 'One', a: { b: [1] } };
      const { master, path } = await buildArticle({ slug: 'one', acl: { ada: { read: true } }, data });
      const before = await master.rest('GET', path);
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
        const answer = await master.rest(method, path, { body });
        expect([body, answer.status, answer.body]).toEqual([body, 200, read]);
        expect(answer.headers.get('etag')).toBe(before.headers.get('etag'));
      }
      const changed = await master.rest(method, path, { body: { a: { b: [2] } } });
      expect(expectEntry(changed).updated_at).not.toBe(read.updated_at);
      expect(changed.headers.get('etag')).not.toBe(before.headers.get('etag'));
    });
  });

  describe('invalid', () => {
    // What else fits no entry is refused alike when one is created: entries.create.invalid.test.ts.
    const payloads: [body: Record<string, unknown>, fields: string[]][] = [
      [{ _status: 'scheduled' }, ['_publish_at']],
      [{ _acl: { ada: { read: 'yes' } } }, ['_acl']],
      [{ _mine: 1 }, ['_mine']],
      [{ title: 'fine', slug: 'count', _owner: 1 }, ['slug', '_owner']],
    ];
    test.each(payloads)('an update with %j is 422, and stores nothing', async (body, fields) => {
      const { master, path } = await buildArticle({ slug: 'one', data: { title: 'One' } }, { publishable: true });
      const before = await master.rest('GET', path);
      expectProblem(await master.rest(method, path, { body: { ...body, year: 1 } }), 'validation_failed', fields);
      expect((await master.rest('GET', path)).body).toEqual(before.body);
    });

    test('an update that removes the time of a scheduled entry is refused', async () => {
      const time = new Date('2031-01-01T00:00:00.000Z');
      const article = await buildArticle({ status: 'scheduled', publishAt: time }, { publishable: true });
      const refused = await article.master.rest(method, article.path, { body: { _publish_at: null } });
      expectProblem(refused, 'validation_failed', ['_publish_at']);
      expect(await updated(article, { _status: 'scheduled' })).toMatchObject({ _publish_at: time.toISOString() });
    });
  });
});
