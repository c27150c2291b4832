// GET /channels/{channel_id}/entries: pages and the links between them (docs/contract.md §5).
import { describe, expect, test } from '@jest/globals';
import { as, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildEntry, type TestSite } from '../../support/build.ts';
import { expectEntry, expectProblem, type RestEntry } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

/** A site with the channel `articles` and entries e0, e1, …, each a second younger than the one before. */
async function buildArticles(count: number): Promise<TestSite> {
  const { db, site, channel } = await buildScene(app);
  for (let index = 0; index < count; index += 1) {
    await buildEntry(db, channel, { slug: `e${index}`, createdAt: new Date(1_600_000_000_000 + index * 1000) });
  }
  return site;
}

function list(token: string, query: string, headers: Record<string, string> = {}): Promise<RestAnswer<RestEntry[]>> {
  return as(app, { token }).rest<RestEntry[]>('GET', `/channels/articles/entries${query}`, { headers });
}

function slugsOf({ body }: RestAnswer<RestEntry[]>): string[] {
  return body.map(({ slug }) => slug);
}

/** relation → address, of a Link header (RFC 8288). */
function linksOf({ headers }: RestAnswer<unknown>): Record<string, string> {
  const links = (headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g);
  return Object.fromEntries([...links].map(([, address, relation]) => [relation, address?.replace(app.url, '') ?? '']));
}

describe('allowed', () => {
  test('a list is an array of entries, newest first, each as in a fetch', async () => {
    const site = await buildArticles(3);
    const answer = await list(site.public, '');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.headers.get('etag')).toBeNull();
    expect(slugsOf(answer)).toEqual(['e2', 'e1', 'e0']);
    for (const entry of answer.body) {
      const fetched = await as(app, { token: site.public }).rest('GET', `/channels/articles/entries/${entry.id}`);
      expect(entry).toEqual(expectEntry(fetched));
    }
  });

  test('a list of an empty channel is an empty array with links to the first and the last page', async () => {
    const answer = await list((await buildArticles(0)).public, '');
    expect(answer.body).toEqual([]);
    expect(answer.headers.get('x-total-count')).toBe('0');
    expect(answer.headers.get('x-total-pages')).toBe('0');
    expect(linksOf(answer)['next']).toBeUndefined();
    expect(linksOf(answer)['prev']).toBeUndefined();
  });

  test('a page of a list has 30 entries by default, and at most 250', async () => {
    const site = await buildArticles(31);
    const usual = await list(site.public, '');
    expect([usual.body.length, usual.headers.get('x-page'), usual.headers.get('x-per-page')]).toEqual([30, '1', '30']);
    const widest = await list(site.public, '?per_page=250');
    expect([widest.body.length, widest.headers.get('x-per-page')]).toEqual([31, '250']);
    expectProblem(await list(site.public, '?per_page=251'), 'bad_request');
  });

  test('pages of a list follow on each other, and have their number and the totals', async () => {
    const site = await buildArticles(5);
    const seen: string[] = [];
    for (const page of [1, 2, 3]) {
      const answer = await list(site.public, `?page=${page}&per_page=2`);
      seen.push(...slugsOf(answer));
      const { headers } = answer;
      const told = ['x-page', 'x-per-page', 'x-total-count', 'x-total-pages'].map((name) => headers.get(name));
      expect(told).toEqual([String(page), '2', '5', '3']);
    }
    expect(seen).toEqual(['e4', 'e3', 'e2', 'e1', 'e0']);
  });

  test('Link repeats a long URL only within 4 KiB, and all headers stay below 8 KiB', async () => {
    const { db, channel, visitor } = await buildScene(app);
    const title = 'x'.repeat(267);
    for (const end of ['a', 'b', 'c', 'd']) await buildEntry(db, channel, { data: { title: title + end } });
    const ask = async (length: number, page: string) => {
      const query = `?sort=title_field_value&per_page=1&${page}&slug.ne=`;
      const filler = 'x'.repeat(length - '/channels/articles/entries'.length - query.length);
      const answer = await visitor.rest('GET', `/channels/articles/entries${query}${filler}`);
      expect(answer.status).toBe(200);
      const size = [...answer.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
      expect([length, page, size < 8_192]).toEqual([length, page, true]);
      return { relations: Object.keys(linksOf(answer)), cursor: answer.headers.get('x-next-cursor') ?? '' };
    };
    const relationsAt = async (length: number) => (await ask(length, 'page=2')).relations;
    expect(await relationsAt(900)).toEqual(['first', 'prev', 'next', 'last']);
    expect(await relationsAt(1_200)).toEqual(['first', 'prev', 'next']);
    expect(await relationsAt(1_900)).toEqual(['prev', 'next']);
    expect(await relationsAt(3_900)).toEqual(['next']);
    expect(await relationsAt(8_192)).toEqual([]);
    const { length } = (await ask(8_192, 'page=2')).cursor;
    expect(length).toBeGreaterThan(800);
    const { cursor } = await ask(8_192 - length - 1, 'page=2');
    expect((await ask(8_192, `cursor=${cursor}`)).cursor.length).toBeGreaterThan(800);
  });

  test('a page past the end of a list is empty', async () => {
    const answer = await list((await buildArticles(2)).public, '?page=40');
    expect([answer.status, answer.body, answer.headers.get('x-total-count')]).toEqual([200, [], '2']);
    expect(linksOf(answer)['next']).toBeUndefined();
  });

  test('a page may begin at row 100,000, and beyond it is 400 that suggests a cursor', async () => {
    const { public: token } = await buildArticles(0);
    expect((await list(token, '?page=401&per_page=250')).status).toBe(200);
    const beyond = await list(token, '?page=402&per_page=250');
    expectProblem(beyond, 'bad_request');
    expect((beyond.body as unknown as { detail: string }).detail).toContain('cursor');
  });

  test('a list never holds what belongs to another channel or site', async () => {
    const db = app.database.prisma;
    const site = await buildArticles(1);
    await buildEntry(db, await buildChannel(db, site.id, { id: 'pages' }), { slug: 'page' });
    await buildArticles(2);
    expect(slugsOf(await list(site.master, ''))).toEqual(['e0']);
  });

  describe('Link', () => {
    test.each([
      [1, ['first', 'last', 'next']],
      [2, ['first', 'last', 'next', 'prev']],
      [3, ['first', 'last', 'prev']],
    ])('Link of page %i has the existing pages', async (page, relations) => {
      const links = linksOf(await list((await buildArticles(5)).public, `?per_page=2&page=${page}`));
      expect(Object.keys(links).sort()).toEqual(relations);
      const pages = { first: 1, last: 3, next: page + 1, prev: page - 1 };
      for (const relation of ['first', 'last', 'next', 'prev'] as const) {
        const address = `/channels/articles/entries?per_page=2&page=${pages[relation]}`;
        if (relations.includes(relation)) expect(links[relation]).toBe(address);
      }
    });

    test('Link keeps all other parameters, and leads to the named pages', async () => {
      const site = await buildArticles(3);
      const answer = await list(site.master, '?per_page=1&sort=slug,-created_at&use_acl=1');
      const { next } = linksOf(answer);
      const parameters = Object.fromEntries(new URL(next ?? '', app.url).searchParams);
      expect(parameters).toEqual({ per_page: '1', sort: 'slug,-created_at', use_acl: '1', page: '2' });
      const following = await as(app, { token: site.master }).rest<RestEntry[]>('GET', next ?? '');
      expect([...slugsOf(answer), ...slugsOf(following)]).toEqual(['e0', 'e1']);
    });

    test('Link of a page past the end leads back', async () => {
      const answer = await list((await buildArticles(3)).public, '?per_page=2&page=9');
      expect(Object.keys(linksOf(answer)).sort()).toEqual(['first', 'last', 'prev']);
      expect(linksOf(answer)['last']).toBe('/channels/articles/entries?per_page=2&page=2');
    });
  });
});

describe('denied', () => {
  test('a list and its totals have only visible entries', async () => {
    const { db, site, channel } = await buildScene(app, { publishable: true });
    await buildEntry(db, channel, { slug: 'seen' });
    await buildEntry(db, channel, { slug: 'draft', status: 'draft' });
    await buildEntry(db, channel, { slug: 'denied', acl: { '*': { read: false } } });
    const shown = await list(site.public, '?per_page=1');
    expect([slugsOf(shown), shown.headers.get('x-total-count')]).toEqual([['seen'], '1']);
    expect(linksOf(shown)['next']).toBeUndefined();
    expect((await list(site.master, '')).body.length).toBe(3);
    // Where there is another page, the total is counted rather than known from the rows.
    await buildEntry(db, channel, { slug: 'also' });
    const first = await list(site.public, '?per_page=1');
    expect([slugsOf(first), first.headers.get('x-total-count')]).toEqual([['also'], '2']);
    const filtered = await list(site.public, '?per_page=1&slug.ne=nobody');
    expect([slugsOf(filtered), filtered.headers.get('x-total-count')]).toEqual([['also'], '2']);
  });
});
