// entries(search: …): the order of what is found, and its pages (docs/contract.md §7, docs/search.md). That what is hidden is
// not found: test/once/security/advisories.oracles.test.ts (V4), and test/both/model for every caller.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

interface Page {
  entries: {
    totalCount: number;
    nodes: { slug: string }[];
    pageInfo: { endCursor: string | null; hasNextPage: boolean };
  };
}

const query = `query ($search: String, $sort: [String!], $first: Int, $after: String, $page: Int) {
  entries(channel: "texts", search: $search, sort: $sort, first: $first, after: $after, page: $page) {
    totalCount nodes { slug } pageInfo { endCursor hasNextPage } } }`;

async function build(entries: [slug: string, data: object][]) {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const fields = (['title', 'note'] as const).map((name) => ({ name, type: 'string' as const }));
  const texts = await buildChannel(db, site.id, { id: 'texts', fields: [...fields, { name: 'body', type: 'text' }] });
  for (const [slug, data] of entries) await buildEntry(db, texts, { slug, data: data as Record<string, unknown> });
  return { site, texts, master: as(app, { token: site.master }) };
}

async function list(caller: Caller, variables: Record<string, unknown>): Promise<Page['entries']> {
  return expectData(await caller.gql<Page>(query, variables)).entries;
}

/** The slugs of every page, read by cursor. */
async function walk(caller: Caller, variables: { first: number } & Record<string, unknown>): Promise<string[]> {
  const slugs: string[] = [];
  for (let after: string | null = null; ;) {
    const { nodes, pageInfo } = await list(caller, { ...variables, after });
    slugs.push(...nodes.map(({ slug }) => slug));
    if (!pageInfo.hasNextPage) return slugs;
    after = pageInfo.endCursor;
  }
}

describe('the order', () => {
  test('search results are ordered best first: by title, short texts, long ones, then by frequency', async () => {
    const { master } = await build([
      ['once', { body: 'tea and coffee, and a word more' }],
      ['title', { title: 'tea', body: 'nothing else' }],
      ['often', { body: 'tea tea tea and tea and tea' }],
      ['note', { note: 'tea', body: 'nothing else' }],
      ['none', { body: 'coffee' }],
    ]);
    const { nodes, totalCount } = await list(master, { search: 'tea' });
    expect(nodes.map(({ slug }) => slug)).toEqual(['title', 'note', 'often', 'once']);
    expect(totalCount).toBe(4);
  });

  test('search results are ordered by `sort` if it is sent', async () => {
    const { master } = await build([
      ['b', { title: 'tea' }],
      ['c', { body: 'tea' }],
      ['a', { body: 'tea too' }],
      ['d', { body: 'coffee' }],
    ]);
    expect(await walk(master, { search: 'tea', sort: ['slug'], first: 2 })).toEqual(['a', 'b', 'c']);
    expect(await walk(master, { search: 'tea', sort: ['-slug'], first: 1 })).toEqual(['c', 'b', 'a']);
  });
});

describe('pages', () => {
  const many = Array.from({ length: 23 }, (_, index): [string, object] => [
    `e${index}`,
    { [index % 3 === 0 ? 'title' : 'body']: `tea ${'tea '.repeat(index % 4)}`, note: 'x '.repeat(index % 2) },
  ]);

  test.each([1, 4, 7, 23, 250])(
    'pages of a search for %s, by cursor and by number, are the whole list in its order',
    async (first) => {
      const { master, site } = await build(many);
      const whole = (await list(master, { search: 'tea', first: 250 })).nodes.map(({ slug }) => slug);
      expect(new Set(whole).size).toBe(23);
      for (const token of [site.master, site.public]) {
        expect(await walk(as(app, { token }), { search: 'tea', first })).toEqual(whole);
      }
      const second = await list(master, { search: 'tea', first, page: 2 });
      expect(second.nodes.map(({ slug }) => slug)).toEqual(whole.slice(first, 2 * first));
      expect(second.totalCount).toBe(23);
    },
  );

  test('a search for the beginning of a word has whole words first, in pages by cursor and by number', async () => {
    const { master } = await build([
      ['begins', { title: 'teapots' }],
      ['whole', { title: 'tea' }],
      ['stemmed', { title: 'teas' }],
      ['longer', { title: 'teapots' }],
      ['marked', { note: 'téa' }],
      ['long', { body: 'teapots and teacups' }],
      ['other', { body: 'coffee' }],
    ]);
    const whole = await walk(master, { search: 'tea', first: 250 });
    expect([...whole].sort()).toEqual(['begins', 'long', 'longer', 'marked', 'stemmed', 'whole']);
    expect(whole.indexOf('whole')).toBeLessThan(Math.min(whole.indexOf('begins'), whole.indexOf('longer')));
    for (const first of [1, 2]) expect(await walk(master, { search: 'tea', first })).toEqual(whole);
    const { nodes, totalCount } = await list(master, { search: 'tea', first: 2, page: 2 });
    expect([nodes.map(({ slug }) => slug), totalCount]).toEqual([whole.slice(2, 4), 6]);
  });

  test('a search with only a negation has pages, although all ranks are equal', async () => {
    const { master } = await build(many);
    expect((await walk(master, { search: '-coffee', first: 5 })).sort()).toEqual(many.map(([slug]) => slug).sort());
  });
});

test('a search finds no entry of another channel or site', async () => {
  const { site, master } = await build([['one', { title: 'tea' }]]);
  const db = app.database.prisma;
  await buildEntry(db, await buildChannel(db, site.id, { id: 'others' }), { data: { title: 'tea secret' } });
  await build([['two', { title: 'tea secret' }]]);
  expect((await list(master, { search: 'tea' })).nodes).toEqual([{ slug: 'one' }]);
  expect((await list(master, { search: 'secret' })).totalCount).toBe(0);
});
