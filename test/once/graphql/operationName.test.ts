// An empty `operationName` counts as absent (docs/contract.md §7.1).
import { expect, test } from '@jest/globals';
import { send } from '../../support/as.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const { site } = await buildScene(app);
const headers = { Authorization: `Bearer ${site.master}`, 'Content-Type': 'application/json' };
const query = 'query A { channels { id } }';
const found = { data: { channels: [{ id: 'articles' }] } };

test.each(['/graphql', '/graphql/site'])('%s runs the only operation of a document without its name', async (path) => {
  const document = path === '/graphql' ? query : 'query A { articles { totalCount } }';
  const expected = path === '/graphql' ? found : { data: { articles: { totalCount: 0 } } };
  const body = JSON.stringify({ query: document, operationName: '' });
  expect((await send(app, 'POST', path, { headers, body })).body).toEqual(expected);
  for (const url of [
    `?operationName=&query=${encodeURIComponent(document)}`,
    `?query=${encodeURIComponent(document)}&operationName=`,
  ]) {
    expect((await send(app, 'GET', path + url, { headers })).body).toEqual(expected);
  }
});

test('several operations without a name, and a name of no operation, are refused', async () => {
  for (const asked of [
    { query: `${query} query B { channels { id } }`, operationName: '' },
    { query, operationName: 'B' },
  ]) {
    const answer = await send(app, 'POST', '/graphql', { headers, body: JSON.stringify(asked) });
    expect([answer.status, answer.body]).toEqual([400, { errors: [expect.anything()] }]);
  }
});
