// Errors during execution: each field stands for itself, and nothing of the inside comes out (docs/contract.md §7).
import { describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

describe('one field refused, its siblings answered', () => {
  test('a refused field of a query is null, and its siblings are answered', async () => {
    const { visitor } = await buildOne(app);
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
      broken: 'BAD_USER_INPUT',
      tokens: 'FORBIDDEN',
    });
    const requestId = answer.headers.get('x-request-id');
    for (const { message, extensions } of answer.errors ?? []) {
      expect([extensions.requestId, message]).toEqual([requestId, expect.stringMatching(/\S/)]);
    }
  });

  test('a refused field of a mutation is null, and the fields before and after it are done', async () => {
    const { master } = await buildOne(app);
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
});

test('a null variable for a non-null argument is an error of its field alone', async () => {
  const { master } = await buildOne(app);
  const { status, data, errors } = await master.gql(
    'query ($useAcl: Boolean = false) { entries(channel: "articles", useAcl: $useAcl) { totalCount } channels { id } }',
    { useAcl: null },
  );
  expect([status, data]).toEqual([200, { entries: null, channels: [{ id: 'articles' }] }]);
  expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([[['entries'], 'BAD_USER_INPUT']]);
});

test('a stored value that its type does not have is a masked error', async () => {
  const own = await startApp();
  try {
    const { db, site, master } = await buildOne(own);
    await db.$executeRaw`ALTER TYPE entry_status ADD VALUE 'secretly'`;
    await db.$executeRaw`UPDATE entries SET status = 'secretly' WHERE site_id = ${site.id}`;
    const { data, errors } = await master.gql('{ entry(channel: "articles", id: "one") { status } }');
    const codes = errors?.map(({ extensions }) => extensions.code);
    expect([data, codes]).toEqual([{ entry: null }, ['INTERNAL_SERVER_ERROR']]);
    expect(JSON.stringify(errors)).not.toContain('secretly');
  } finally {
    await own.close();
  }
});

describe.each(['development', 'production'])('a fault of the service in %s', (NODE_ENV) => {
  test('a fault of the service is a masked error with the request’s id, and the siblings are answered', async () => {
    const broken = await startApp({ NODE_ENV });
    try {
      const { db, master } = await buildOne(broken);
      // A table that the service's own statements no longer find.
      await db.$executeRaw`ALTER TABLE entries RENAME COLUMN acl TO secret_acl -- test: a fault`;
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
