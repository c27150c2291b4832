// `in` with as many values as a filter may hold, beside long texts (docs/contract.md §5.13, §5.15).
import { expect, test } from '@jest/globals';
import { buildEntry } from '../support/build.ts';
import { buildScene, suiteApp } from '../support/scene.ts';

const app = await suiteApp();

test('a filter by 1,000 titles finds the entries that have one of them, beside texts of 1 MiB', async () => {
  const { db, channel, visitor } = await buildScene(app, {
    fields: [
      { name: 'title', type: 'string' },
      { name: 'body', type: 'text' },
    ],
  });
  const body = 'lorem ipsum dolor '.repeat(58_000);
  for (const title of ['a1', 'a2', 'none']) await buildEntry(db, channel, { slug: title, data: { title, body } });
  const titles = Array.from({ length: 1_000 }, (_, at) => `a${at}`).join(',');
  const path = `/channels/articles/entries?only=slug&sort=slug&title.in=${titles}`;
  const answer = await visitor.rest<{ slug: string }[]>('GET', path);
  expect([answer.status, answer.body.map(({ slug }) => slug)]).toEqual([200, ['a1', 'a2']]);
});
