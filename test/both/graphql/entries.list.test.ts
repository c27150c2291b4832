// entries (docs/contract.md §5, §7): pages, totals, and whom they show what.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildEntry, type TestSite } from '../../support/build.ts';
import { entrySelection, expectData, type GraphqlEntry } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

interface Connection {
  readonly nodes: GraphqlEntry[];
  readonly edges: { readonly cursor: string; readonly node: GraphqlEntry }[];
  readonly pageInfo: Record<'hasNextPage' | 'hasPreviousPage', boolean> &
    Record<'startCursor' | 'endCursor', string | null>;
  readonly totalCount: number | null;
}

/** A list of the channel `articles` with arguments as they stand in a document. */
function list(caller: Caller, args = '') {
  return caller.gql<{ entries: Connection }>(`{
    entries(channel: "articles" ${args}) {
      nodes { id slug }
      edges { cursor node { id slug } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      totalCount
    }
  }`);
}

/** A site with entries e0, e1, … of the channel `articles`, each a second younger than the one before. */
async function buildArticles(count: number): Promise<TestSite> {
  const { db, site, channel } = await buildScene(app);
  for (let index = 0; index < count; index += 1) {
    await buildEntry(db, channel, { slug: `e${index}`, createdAt: new Date(1_600_000_000_000 + index * 1000) });
  }
  return site;
}

function slugsOf({ nodes }: Connection): string[] {
  return nodes.map(({ slug }) => slug);
}

describe('allowed', () => {
  test('nodes and edges have the same entries, newest first, each as in a fetch', async () => {
    const site = await buildArticles(3);
    const caller = as(app, { token: site.public });
    const whole = `{ entries(channel: "articles") { nodes ${entrySelection} edges { node ${entrySelection} } } }`;
    const { entries } = expectData(await caller.gql<{ entries: Connection }>(whole));
    expect(slugsOf(entries)).toEqual(['e2', 'e1', 'e0']);
    expect(entries.edges.map(({ node }) => node)).toEqual(entries.nodes);
    for (const node of entries.nodes) {
      const fetched = await caller.gql(`{ entry(channel: "articles", id: "${node.id}") ${entrySelection} }`);
      expect(fetched.data['entry']).toEqual(node);
    }
  });

  test('an empty page of entries has no cursors', async () => {
    const { entries } = expectData(await list(as(app, { token: (await buildArticles(0)).public })));
    const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
    expect(entries).toEqual({ nodes: [], edges: [], pageInfo, totalCount: 0 });
  });

  test('a page has 30 entries by default, and 1 to 250 with `first`', async () => {
    const caller = as(app, { token: (await buildArticles(31)).public });
    for (const [args, length] of [
      ['', 30],
      ['first: null', 30],
      ['first: 1', 1],
      ['first: 250', 31],
    ] as const) {
      const { entries } = expectData(await list(caller, args));
      expect([args, entries.nodes.length, entries.pageInfo.hasNextPage]).toEqual([args, length, length < 31]);
      expect(entries.totalCount).toBe(31);
    }
  });

  test('entries are listed in pages by number', async () => {
    const caller = as(app, { token: (await buildArticles(5)).public });
    const pages = [
      [1, ['e4', 'e3'], true, false],
      [2, ['e2', 'e1'], true, true],
      [3, ['e0'], false, true],
      [4, [], false, true],
    ] as const;
    for (const [page, slugs, hasNextPage, hasPreviousPage] of pages) {
      const { entries } = expectData(await list(caller, `first: 2, page: ${page}`));
      expect([page, slugsOf(entries), entries.totalCount]).toEqual([page, slugs, 5]);
      expect(entries.pageInfo).toMatchObject({ hasNextPage, hasPreviousPage });
    }
  });

  test('a page by cursor begins after it', async () => {
    const caller = as(app, { token: (await buildArticles(5)).public });
    const first = expectData(await list(caller, 'first: 2')).entries;
    expect(first.pageInfo.endCursor).toBe(first.edges.at(-1)?.cursor);
    expect(first.pageInfo.startCursor).toBe(first.edges[0]?.cursor);
    const second = expectData(await list(caller, `first: 2, after: "${first.pageInfo.endCursor}"`)).entries;
    expect([slugsOf(second), second.totalCount]).toEqual([['e2', 'e1'], 5]);
    expect(second.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const behindFirst = expectData(await list(caller, `after: "${first.edges[0]?.cursor}"`)).entries;
    expect(slugsOf(behindFirst)).toEqual(['e3', 'e2', 'e1', 'e0']);
    const end = expectData(await list(caller, `after: "${behindFirst.pageInfo.endCursor}"`)).entries;
    expect([slugsOf(end), end.pageInfo.hasNextPage]).toEqual([[], false]);
  });

  // That it is refused elsewhere: test/once/hostile/lists.cursors.test.ts, and V18 for a channel of the same id.
  test('a cursor is valid after its entry is deleted, and at the end of the list', async () => {
    const { db, site, channel, master } = await buildScene(app);
    for (let count = 0; count < 3; count += 1) await buildEntry(db, channel);
    const next = async ({ pageInfo: { endCursor } }: Connection) =>
      expectData(await list(master, `sort: "id", after: "${endCursor}"`)).entries;
    const first = expectData(await list(master, 'sort: "id", first: 2')).entries;
    await db.entry.deleteMany({ where: { siteId: site.id, id: first.nodes[1]?.id ?? '' } });
    const rest = await next(first);
    expect(rest.nodes.length).toBe(1);
    const later = await buildEntry(db, channel);
    expect((await next(rest)).nodes).toEqual([{ id: later.id, slug: later.slug }]);
  });

  test('`sort` accepts a list of keys', async () => {
    const caller = as(app, { token: (await buildArticles(3)).public });
    for (const [sort, slugs] of [
      ['["slug"]', ['e0', 'e1', 'e2']],
      ['"-slug"', ['e2', 'e1', 'e0']],
      ['["_status", "created_at"]', ['e0', 'e1', 'e2']],
      ['[]', ['e2', 'e1', 'e0']],
      ['null', ['e2', 'e1', 'e0']],
    ] as const) {
      expect([sort, slugsOf(expectData(await list(caller, `sort: ${sort}`)).entries)]).toEqual([sort, slugs]);
    }
  });
});

describe('invalid', () => {
  test('a page number that is no integer is an invalid request', async () => {
    const site = await buildArticles(0);
    for (const args of ['first: 1.5', 'first: "1"', 'page: 3000000000', 'after: 5', 'sort: [null]']) {
      expect([args, (await list(as(app, { token: site.master }), args)).status]).toEqual([args, 400]);
    }
  });
});
