// Lists in an order of long texts: cursors stay short, and pages behind them leave nothing out (docs/contract.md §5.12).
import { expect, test } from '@jest/globals';
import type { Caller } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { forgedCursor } from '../../support/cursors.ts';
import { expectData } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });

const fields = [
  { name: 'title', type: 'string' as const },
  ...['a', 'b', 'c', 'd'].map((name) => ({ name, type: 'text' as const, indexed: name === 'b' })),
];
const [emoji, highest] = ['😀'.repeat(280), '\u{10ffff}'.repeat(299)];
const texts = [
  ...[emoji, `${emoji}b`, `${emoji}B`, `${emoji}a`, `${highest}\u{10ffff}`, highest, '\u0001'.repeat(300)],
  ...['\ud7ff'.repeat(300), `${'\ud7ff'.repeat(299)}\ue000`, '\ue000', 'Äö'.repeat(140), null, '"'.repeat(300)],
];

/** Entries that share long texts, and differ in the last of their fields or in nothing. */
async function buildLong({ db, channel }: Scene): Promise<void> {
  for (const [at, d] of [...texts, ...texts.slice(0, 3)].entries()) {
    const title = at % 4 < 2 ? d : `${emoji}${highest}${d}`;
    const values = Object.entries({ title, a: emoji, b: texts[at % 3], c: highest, d });
    await buildEntry(db, channel, { data: Object.fromEntries(values.filter(([, value]) => value !== null)) });
  }
}

interface Page {
  readonly edges: { cursor: string | null; node: { id: string } }[];
  readonly next: string | null;
}
type Door = (caller: Caller, sort: string, cursor: string | null, size: number) => Promise<Page>;

const overRest: Door = async (caller, sort, cursor, size) => {
  const at = cursor === null ? '' : `&cursor=${cursor}`;
  const path = `/channels/articles/entries?sort=${sort}&per_page=${size}${at}`;
  const { status, body, headers } = await caller.rest<{ id: string }[]>('GET', path);
  expect(status).toBe(200);
  return { edges: body.map((node) => ({ cursor: null, node })), next: headers.get('x-next-cursor') };
};

const overGraphql: Door = async (caller, sort, after, first) => {
  const query = `query ($sort: [String!], $first: Int, $after: String) {
    entries(channel: "articles", sort: $sort, first: $first, after: $after) {
      edges { cursor node { id } } pageInfo { endCursor hasNextPage } } }`;
  interface Data {
    readonly entries: { edges: Page['edges']; pageInfo: { endCursor: string; hasNextPage: boolean } };
  }
  const { entries } = expectData(await caller.gql<Data>(query, { sort: sort.split(','), first, after }));
  return { edges: entries.edges, next: entries.pageInfo.hasNextPage ? entries.pageInfo.endCursor : null };
};

const ids = ({ edges }: Page): string[] => edges.map(({ node }) => node.id);
const title = 'title_field_value';
const orders = [title, `-${title}`, 'a,b,c,d', '-a,b,-d', '-b,d', '-d'];

test.each(orders)('sort=%s: cursors have at most 1,000 characters, and no page repeats or skips', async (sort) => {
  const scene = await buildScene(app, { fields });
  await buildLong(scene);
  const all = ids(await overRest(scene.visitor, sort, null, 250));
  for (const door of [overRest, overGraphql]) {
    const found: string[] = [];
    let longest = 0;
    let cursor: string | null = null;
    do {
      const page: Page = await door(scene.visitor, sort, cursor, 4);
      found.push(...ids(page));
      cursor = page.next;
      longest = Math.max(longest, cursor?.length ?? 0);
    } while (cursor !== null);
    expect(found).toEqual(all);
    expect([longest > 400, longest <= 1_000]).toEqual([true, true]);
  }
});

test.each(orders)(
  'sort=%s: after the cursor of a deleted, changed or hidden entry no entry is missing',
  async (sort) => {
    const scene = await buildScene(app, { fields });
    await buildLong(scene);
    const { db, site, master, visitor } = scene;
    const changed = { title: 'x', a: 'x', b: null, d: null };
    const changes = [
      (id: string) => master.rest('DELETE', `/channels/articles/entries/${id}`),
      (id: string) => master.rest('PATCH', `/channels/articles/entries/${id}`, { body: changed }),
      (id: string) => db.entry.updateMany({ where: { siteId: site.id, id }, data: { acl: { '*': { read: false } } } }),
    ];
    const before = await overGraphql(visitor, sort, null, 250);
    for (const [at, { cursor, node }] of before.edges.entries()) {
      await changes[at % 3]?.(node.id);
      const behind = ids(before).slice(at + 1);
      const found = ids(await overRest(visitor, sort, cursor, 250));
      expect(found.filter((id) => behind.includes(id))).toEqual(behind);
    }
  },
);

test('a cursor at a hidden entry is answered like one at no entry', async () => {
  const { db, site, channel, visitor, master } = await buildScene(app, { fields });
  for (const d of texts) await buildEntry(db, channel, { data: { d } });
  const all = await overGraphql(visitor, 'd', null, 250);
  const at = all.edges.findLastIndex(({ cursor }) => (cursor ?? '').length > 400);
  const [cursor, id] = [all.edges[at]?.cursor ?? '', ids(all)[at] ?? ''];
  await db.entry.updateMany({ where: { siteId: site.id, id }, data: { acl: { '*': { read: false } } } });
  const absent = '0198b2c2-7a7a-7000-8000-000000000001';
  const naming = forgedCursor(cursor, ([list, place]) => [list, place.map((part) => (part === id ? absent : part))]);
  expect(naming).not.toBe(cursor);
  expect(ids(await overRest(visitor, 'd', cursor, 250))).toEqual(ids(await overRest(visitor, 'd', naming, 250)));
  // A reader of the entry gets what follows it, and nothing again.
  expect(ids(await overRest(master, 'd', cursor, 250))).toEqual(ids(all).slice(at + 1));
});
