// What a request asks for wrongly is told as the request's fault, with a code that says so, also where the words are
// GraphQL's own; a result that does not fit its type is the service's fault, and masked.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

async function buildOne() {
  const site = await buildSite(app.database.prisma);
  const channel = await buildChannel(app.database.prisma, site.id, { id: 'articles' });
  await buildEntry(app.database.prisma, channel, { slug: 'one' });
  return site;
}

test('null by way of a variable where there can be none: the field’s own error, and its siblings stand', async () => {
  const { master } = await buildOne();
  const { status, data, errors } = await as(app, { token: master }).gql(
    'query ($useAcl: Boolean = false) { entries(channel: "articles", useAcl: $useAcl) { totalCount } channels { id } }',
    { useAcl: null },
  );
  expect([status, data]).toEqual([200, { entries: null, channels: [{ id: 'articles' }] }]);
  expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([[['entries'], 'BAD_USER_INPUT']]);
});

test('a stored value that does not fit its type: masked', async () => {
  const own = await startApp();
  try {
    const db = own.database.prisma;
    const { id, master } = await buildSite(db);
    await buildEntry(db, await buildChannel(db, id, { id: 'articles' }), { slug: 'one' });
    await db.$executeRaw`ALTER TYPE entry_status ADD VALUE 'secretly'`;
    await db.$executeRaw`UPDATE entries SET status = 'secretly' WHERE site_id = ${id}`;
    const { data, errors } = await as(own, { token: master }).gql(
      '{ entry(channel: "articles", id: "one") { status } }',
    );
    expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([
      { entry: null },
      ['INTERNAL_SERVER_ERROR'],
    ]);
    expect(JSON.stringify(errors)).not.toContain('secretly');
  } finally {
    await own.close();
  }
});
