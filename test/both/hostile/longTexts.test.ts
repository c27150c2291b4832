// Comparisons that an index serves, beside long texts: each makes copies of the entries that it finds (docs/contract.md §5.15).
import { beforeAll, expect, test } from '@jest/globals';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

// No comparison without an index is asked for: they would cost 0.
const app = await suiteApp({ FILTER_MAX_COST: '33554432', URL_LIMIT: '65536' });
let scene: Scene;

beforeAll(async () => {
  scene = await buildScene(app);
  const fields = ['title', 'kind', 'body'].map((name) => ({ name, type: 'text' as const }));
  for (const [id, size] of [
    ['long', 1_000_000],
    ['ordinary', 500],
  ] as const) {
    const channel = await buildChannel(scene.db, scene.site.id, { id, fields });
    for (const title of ['one', 'two', 'three']) {
      await buildEntry(scene.db, channel, { data: { title, kind: 'a', body: 'lorem ipsum '.repeat(size / 12) } });
    }
  }
});

test.each<[string, string, number]>([
  ['200 ANDed filters beside ordinary entries are answered', 'ordinary', 200],
  ['200 ANDed filters beside three texts of 1 MB are refused', 'long', 400],
])('%s', async (_what, channel, status) => {
  const where = { and: Array.from({ length: 200 }, () => ({ kind: { eq: 'a' } })) };
  const query = `where=${encodeURIComponent(JSON.stringify(where))}`;
  for (const path of ['entries', 'entries/count']) {
    const answer = await scene.visitor.rest('GET', `/channels/${channel}/${path}?${query}`);
    expect(answer).toMatchObject(status === 200 ? { status } : { status, body: { code: 'too_complex' } });
  }
});

test('a filter by all of 1,000 items of a list is answered beside ordinary entries', async () => {
  const channel = await buildChannel(scene.db, scene.site.id, {
    id: 'lists',
    fields: [{ name: 'tags', type: 'strings' }],
  });
  await buildEntry(scene.db, channel, { slug: 'both', data: { tags: ['a', 'b', 'c'] } });
  await buildEntry(scene.db, channel, { slug: 'one', data: { tags: ['a', 'c'] } });
  const where = { tags: { all: Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? 'a' : 'b')) } };
  const query = `only=slug&where=${encodeURIComponent(JSON.stringify(where))}`;
  const answer = await scene.visitor.rest('GET', `/channels/lists/entries?${query}`);
  expect([answer.status, answer.body]).toMatchObject([200, [{ slug: 'both' }]]);
});
