// Introspection: for master and user tokens in every mode, for public tokens outside production only (contract §7).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { startApp, type TestApp } from '../support/app.ts';
import { as, send, type Caller } from '../support/as.ts';
import { buildChannel, buildEntry, buildSite, buildUser } from '../support/build.ts';
import { expectData } from '../support/expect.ts';

/** Documents that tell of the schema, plainly and not so plainly. */
const documents = [
  getIntrospectionQuery(),
  '{ __schema { types { name } } }',
  '{ __type(name: "Entry") { fields { name } } }',
  '{ channels { id } innocent: __type(name: "Token") { name } }',
  'fragment Innocent on Query { s: __schema { queryType { name } } } query A { ...Innocent }',
  'query ($on: Boolean = true) { ... on Query @include(if: $on) { __schema { description } } }',
];

async function buildCallers(app: TestApp): Promise<Record<'master' | 'user' | 'public', Caller>> {
  const db = app.database.prisma;
  const site = await buildSite(db);
  await buildEntry(db, await buildChannel(db, site.id, { id: 'articles', createScope: 'public' }), { slug: 'one' });
  const { token: user } = await buildUser(db, { memberOf: [site.id] });
  return {
    master: as(app, { token: site.master }),
    user: as(app, { token: user, site: site.id }),
    public: as(app, { token: site.public }),
  };
}

describe('in production', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ NODE_ENV: 'production' });
  });
  afterAll(() => app.close());

  test.each(documents)(
    'a public token is refused, also after others ran the very same document: %s',
    async (document) => {
      const callers = await buildCallers(app);
      for (const round of [1, 2]) {
        const refused = await callers.public.gql<object | undefined>(document);
        expect([round, refused.data ?? null, refused.errors?.length]).toEqual([round, null, 1]);
        expect(JSON.stringify(refused.errors)).not.toMatch(/TokenWithSecret|createSession/);
        expectData(await callers.master.gql(document));
        expectData(await callers.user.gql(document));
      }
    },
  );

  test('a public token is refused by GET, too', async () => {
    const { public: token } = await buildSite(app.database.prisma);
    const path = `/graphql?query=${encodeURIComponent('{ __schema { types { name } } }')}`;
    const headers = { Authorization: `Bearer ${token}`, 'Apollo-Require-Preflight': 'true' };
    const answer = await send<{ data?: unknown; errors?: unknown[] }>(app, 'GET', path, { headers });
    expect([answer.body.data ?? null, answer.body.errors?.length]).toEqual([null, 1]);
  });

  test('what only looks like it is not refused', async () => {
    const callers = await buildCallers(app);
    for (const document of [
      '{ __typename channels { __typename id } }',
      '# no __schema here\n{ channels { id } }',
      '{ entry(channel: "articles", id: "one") { __schema: slug __typename } }',
      'mutation { createEntry(channel: "articles", input: { fields: { title: "What is __schema?", __type: 1 } }) { id } }',
      'query __schema { channels { id } }',
    ]) {
      const { errors } = await callers.public.gql(document);
      const codes = errors?.map(({ extensions, message }) => [extensions.code, message]) ?? [];
      expect([document, codes.filter(([code]) => code === 'FORBIDDEN')]).toEqual([document, []]);
    }
  });

  test('nobody is told of the schema by the way: no suggestions in errors', async () => {
    const callers = await buildCallers(app);
    for (const caller of Object.values(callers)) {
      const { status, errors } = await caller.gql('{ channel_ entrie(channel: "x") { nod } }');
      expect(status).toBe(400);
      expect(JSON.stringify(errors)).not.toMatch(/did you mean|channels|entries/i);
    }
  });
});

describe('in development', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  test('every token may', async () => {
    const callers = await buildCallers(app);
    for (const caller of Object.values(callers)) {
      for (const document of documents) expectData(await caller.gql(document));
    }
  });

  test('nobody may without a token', async () => {
    expect((await as(app).gql(documents[0] ?? '')).status).toBe(401);
  });
});
