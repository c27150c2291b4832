// Errors during execution: each field stands for itself, and nothing of the inside comes out (docs/contract.md §7).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

async function buildOne() {
  const site = await buildSite(app.database.prisma);
  const channel = await buildChannel(app.database.prisma, site.id, { id: 'articles' });
  await buildEntry(app.database.prisma, channel, { slug: 'one' });
  return { site, master: as(app, { token: site.master }), visitor: as(app, { token: site.public }) };
}

describe('one field refused, its siblings answered', () => {
  test('in a query', async () => {
    const { visitor } = await buildOne();
    const answer = await visitor.gql(`{
      seen: entry(channel: "articles", id: "one") { slug }
      absent: entry(channel: "articles", id: "two") { slug }
      list: entries(channel: "articles") { totalCount }
      broken: entries(channel: "articles", first: 0) { totalCount }
      tokens { id }
      channels { id }
      elsewhere: channel(id: "nowhere") { id }
    }`);
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({
      seen: { slug: 'one' },
      absent: null,
      list: { totalCount: 1 },
      broken: null,
      tokens: null,
      channels: [{ id: 'articles' }],
      elsewhere: null,
    });
    const told = answer.errors?.map(({ path, extensions }) => [path?.join('.'), extensions.code]);
    expect(Object.fromEntries(told ?? [])).toEqual({
      absent: 'NOT_FOUND',
      broken: 'BAD_USER_INPUT',
      tokens: 'FORBIDDEN',
      elsewhere: 'NOT_FOUND',
    });
    const requestId = answer.headers.get('x-request-id');
    for (const { message, extensions } of answer.errors ?? []) {
      expect([extensions.requestId, message]).toEqual([requestId, expect.stringMatching(/\S/)]);
    }
  });

  test('in a mutation: what came before and after is done', async () => {
    const { master } = await buildOne();
    const answer = await master.gql(`mutation {
      first: createEntry(channel: "articles", input: { slug: "first" }) { slug }
      taken: createEntry(channel: "articles", input: { slug: "one" }) { slug }
      misfit: createEntry(channel: "articles", input: { slug: "No Slug" }) { slug }
      stale: updateEntry(channel: "articles", id: "one", ifVersion: 9, input: {}) { slug }
      gone: deleteEntry(channel: "articles", id: "absent")
      last: createEntry(channel: "articles", input: { slug: "last" }) { slug }
    }`);
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({
      first: { slug: 'first' },
      taken: null,
      misfit: null,
      stale: null,
      gone: null,
      last: { slug: 'last' },
    });
    expect(answer.errors?.map(({ path, extensions }) => [path?.[0], extensions.code])).toEqual([
      ['taken', 'CONFLICT'],
      ['misfit', 'BAD_USER_INPUT'],
      ['stale', 'PRECONDITION_FAILED'],
      ['gone', 'NOT_FOUND'],
    ]);
    const { data } = await master.gql('{ entries(channel: "articles", sort: "slug") { nodes { slug } } }');
    expect(data['entries']).toEqual({ nodes: [{ slug: 'first' }, { slug: 'last' }, { slug: 'one' }] });
  });

  test('an error names the fields as REST does, with a code and a message for each', async () => {
    const { master } = await buildOne();
    const answer = await master.gql(
      'mutation { createEntry(channel: "articles", input: { publishAt: "x", owner: 5, fields: { _a: 1 } }) { id } }',
    );
    expectRefusal(answer, 'BAD_USER_INPUT', ['_a', '_publish_at']);
    const rest = await master.rest<{ errors: unknown[] }>('POST', '/channels/articles/entries', {
      body: { _publish_at: 'x', _owner: '5', _a: 1 },
    });
    expect(answer.errors?.[0]?.extensions.errors).toEqual(rest.body.errors);
  });
});

describe.each(['development', 'production'])('a fault of the service in %s', (NODE_ENV) => {
  test('is masked, told with the request’s id, and leaves the siblings alone', async () => {
    const broken = await startApp({ NODE_ENV });
    try {
      const db = broken.database.prisma;
      const site = await buildSite(db);
      await buildEntry(db, await buildChannel(db, site.id, { id: 'articles' }), { slug: 'one' });
      // A table that the service's own statements no longer find.
      await db.$executeRaw`ALTER TABLE entries RENAME COLUMN acl TO secret_acl -- test: a fault`;
      const master = as(broken, { token: site.master });
      const query = '{ entry(channel: "articles", id: "one") { id } channels { id } }';
      const answer = await master.gql(query, {}, { headers: { 'X-Request-Id': 'find-me' } });
      expect([answer.status, answer.data]).toEqual([200, { entry: null, channels: [{ id: 'articles' }] }]);
      expect(answer.errors).toEqual([
        {
          message: expect.stringMatching(/\S/),
          locations: [{ line: 1, column: 3 }],
          path: ['entry'],
          extensions: { code: 'INTERNAL_SERVER_ERROR', requestId: 'find-me' },
        },
      ]);
      const inside = /secret_acl|does not exist|select|prisma|postgres|pglite|stack|\.ts|\/src\/|node_modules/i;
      expect(JSON.stringify(answer.errors)).not.toMatch(inside);
      const rest = await master.rest('GET', '/channels/articles/entries');
      expect([rest.status, inside.test(rest.text)]).toEqual([500, false]);
    } finally {
      await broken.close();
    }
  });
});

test('a message never holds a token, whatever was sent', async () => {
  const { site, master } = await buildOne();
  const { master: secret } = site;
  const answers = [
    await master.gql(`{ entry(channel: "articles", id: "${secret}") { id } }`),
    await master.gql(`{ channel(id: "${secret}") { id } }`),
    await master.gql(`mutation { revokeToken(id: "${secret}") }`),
    await master.gql(`mutation { createEntry(channel: "articles", input: { slug: "${secret}" }) { id } }`),
  ];
  for (const { errors } of answers) {
    expect(errors?.length).toBe(1);
    expect(JSON.stringify(errors)).not.toContain(secret);
  }
  expectData(await master.gql('{ channels { id } }'));
});
