// Lists that look into the values of every entry: their cost has a limit, and what an index serves costs nothing.
import { beforeAll, expect, test } from '@jest/globals';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { databaseKind } from '../../support/db.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

// Three looks into 16 entries of 8,000 bytes, rounded up to 131,072 bytes.
const app = await suiteApp({ FILTER_MAX_COST: '400000', URL_LIMIT: '65536' });
let scene: Scene;

beforeAll(async () => {
  scene = await buildScene(app);
  const { db, site, channel } = scene;
  const target = await buildEntry(db, channel, { slug: 'target' });
  const films = await buildChannel(db, site.id, {
    id: 'films',
    fields: [
      { name: 'title', type: 'string' },
      { name: 'tags', type: 'strings' },
      { name: 'body', type: 'text' },
      { name: 'year', type: 'integer', indexed: true },
      { name: 'length', type: 'integer' },
      { name: 'about', type: 'reference', channel: 'articles' },
    ],
  });
  for (let at = 0; at < 16; at += 1) {
    const data = { title: `${at}`, body: 'x'.repeat(7_800), year: at, length: at, about: target.id };
    await buildEntry(db, films, { data });
  }
});

const texts = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at}`);

const contains = (count: number, part = (at: number): string => `word ${at}`): object => ({
  or: Array.from({ length: count }, (_, at) => ({ body: { contains: part(at) } })),
});

test.each<[string, number, object]>([
  ['a few searches in texts', 200, contains(3)],
  ['many searches in texts', 400, contains(4)],
  ['many searches in texts, below a negation', 400, { not: contains(4) }],
  ['many values of a field', 200, { title: { in: texts(40) } }],
  ['1,000 values of a field, which are compared with one copy of an entry', 200, { title: { in: texts(1_000) } }],
  ['a few comparisons that an index serves', 200, { and: texts(16).map((eq) => ({ title: { eq } })) }],
  [
    'more of them than the largest 16 entries together may be compared with, and few enough for one of these',
    databaseKind === 'embedded' ? 200 : 400,
    { and: texts(20).map((eq) => ({ title: { eq } })) },
  ],
  ['many comparisons that an index serves', 400, { and: texts(60).map((eq) => ({ title: { eq } })) }],
  ['the same, of which one has to hold', 400, { or: texts(60).map((eq) => ({ title: { eq } })) }],
  ['many values of a list, in each of which an item is looked for', 400, { tags: { all: texts(60) } }],
  ['many values of a field, negated', 400, { title: { nin: texts(40) } }],
  ['bounds of an indexed field', 200, { and: [1, 2, 3, 4, 5].map((at) => ({ year: { gt: at } })) }],
  ['bounds of another field', 400, { and: [1, 2, 3, 4, 5].map((at) => ({ length: { gt: at } })) }],
  [
    'values beside a search in texts',
    400,
    { or: [{ title: { in: ['a', 'b', 'c', 'd'] } }, { body: { contains: 'x' } }] },
  ],
  ['titles', 400, { or: ['a', 'b', 'c', 'd'].map((part) => ({ title_field_value: { contains: part } })) }],
  [
    'a search below 18 nested ORs',
    200,
    Array.from({ length: 18 }).reduce<object>((inner) => ({ or: [inner] }), contains(3)),
  ],
  ['fixed members', 200, { or: Array.from({ length: 50 }, (_, at) => ({ slug: { contains: `${at}` } })) }],
  ['comparisons through a reference', 400, { and: [1, 2, 3, 4].map((at) => ({ 'about.title': { ne: `${at}` } })) }],
])('the cost of a scan decides: %s: %d', async (_what, status, where) => {
  const query = `where=${encodeURIComponent(JSON.stringify(where))}`;
  for (const path of ['entries', 'entries/count']) {
    const answer = await scene.visitor.rest('GET', `/channels/films/${path}?${query}`);
    expect(answer).toMatchObject(status === 200 ? { status } : { status, body: { code: 'too_complex' } });
  }
});

test('the cost of a scan includes an order by fields without an index', async () => {
  const list = (sort: string): ReturnType<typeof scene.visitor.rest> =>
    scene.visitor.rest('GET', `/channels/films/entries?sort=${sort}&body.contains=x&title.contains=x`);
  expect((await list('length')).status).toBe(200);
  expect((await list('year,-created_at')).status).toBe(200);
  expect(await list('length,body')).toMatchObject({ status: 400, body: { code: 'too_complex' } });
});
