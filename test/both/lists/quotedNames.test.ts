// Names with a comma, in a channel without declared fields: in quotes in `sort` and `only` (docs/contract.md §5.13).
import { expect, test } from '@jest/globals';
import { buildEntry } from '../../support/build.ts';
import { expectProblem } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const list = '/channels/articles/entries';

test('fields with commas and quotes in their names can be sorted by and selected, with pages by cursor', async () => {
  const { db, channel, visitor } = await buildScene(app);
  for (const [slug, first, second] of [
    ['a', 1, 1],
    ['b', 2, 1],
    ['c', 2, 2],
  ] as const) {
    await buildEntry(db, channel, { slug, data: { 'x, y': first, 'say "z"': second, x: 0 } });
  }
  const query = new URLSearchParams({ sort: '"-x, y","-say ""z"""', only: 'slug,"x, y"', per_page: '2' });
  const first = await visitor.rest<object[]>('GET', `${list}?${query.toString()}`);
  expect(first.body).toMatchObject([
    { slug: 'c', 'x, y': 2 },
    { slug: 'b', 'x, y': 2 },
  ]);
  expect(Object.keys(first.body[0] ?? {}).sort()).toEqual(['id', 'slug', 'x, y']);
  query.set('cursor', first.headers.get('x-next-cursor') ?? '');
  const next = await visitor.rest<object[]>('GET', `${list}?${query.toString()}`);
  expect(next.body).toMatchObject([{ slug: 'a', 'x, y': 1 }]);
  const one = await visitor.rest('GET', `${list}/a?only=${encodeURIComponent('"x, y"')}`);
  expect(Object.keys(one.body)).toEqual(['id', 'x, y']);
});

test.each(['sort', 'only'])('?%s with an unclosed quote is refused', async (name) => {
  const { visitor } = await buildScene(app);
  expectProblem(await visitor.rest('GET', `${list}?${name}=${encodeURIComponent('"x, y')}`), 'bad_request');
});
