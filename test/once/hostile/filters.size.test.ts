// Filters as large as they may be are answered, and larger ones refused.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { expectGraphqlRefused } from '../../support/refused.ts';

let app: TestApp;
let caller: Caller;
beforeAll(async () => {
  app = await startApp({ RATE_LIMIT: 'off' });
  const site = await buildSite(app.database.prisma);
  const channel = await buildChannel(app.database.prisma, site.id, {
    id: 'things',
    fields: [
      { name: 'title', type: 'string' },
      { name: 'year', type: 'integer' },
      { name: 'tags', type: 'strings' },
      { name: 'extra', type: 'json' },
      { name: 'author', type: 'reference', channel: 'things' },
    ],
  });
  await buildEntry(app.database.prisma, channel, { slug: 'one', data: { title: 'One', year: 1, tags: ['1'] } });
  caller = as(app, { token: site.public });
});
afterAll(() => app.close());

const query = 'query ($where: EntryFilter) { entries(channel: "things", where: $where) { totalCount } }';
const ask = (where: unknown) => caller.rest('POST', '/graphql', { body: { query, variables: { where } } });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** A comparison with so many values, as the field's type has them. */
const among = (field: string, op: string, count: number) => ({
  field,
  op,
  value: numbers(count).map((value) => (field === 'year' ? value : String(value))),
});

test.each<[string, string, number]>([
  ['year', 'IN', 1],
  ['year', 'NIN', 0],
  ['title', 'IN', 0],
  ['tags', 'IN', 1],
  ['tags', 'ALL', 0],
  ['extra', 'IN', 0],
  ['author', 'IN', 0],
  ['author', 'NIN', 1],
  ['author.title', 'IN', 0],
  ['id', 'IN', 0],
])('%s %s takes 1,000 values, and no more', async (field, op, totalCount) => {
  const answer = await ask(among(field, op, 1_000));
  expect([answer.status, answer.body]).toEqual([200, { data: { entries: { totalCount } } }]);
  expectGraphqlRefused(await ask(among(field, op, 1_001)), 200, 'BAD_USER_INPUT');
});
