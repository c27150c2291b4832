// Introspection: for master and user tokens in every mode, for public tokens outside production only (docs/contract.md §7).
import { describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import type { TestApp } from '../../support/app.ts';
import { as, send, type Caller } from '../../support/as.ts';
import { buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

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
  const { db, site, channel, master, visitor } = await buildScene(app, { createScope: 'public' });
  await buildEntry(db, channel, { slug: 'one' });
  const { token } = await buildUser(db, { memberOf: [site.id] });
  return { master, user: as(app, { token, site: site.id }), public: visitor };
}

const app = await suiteApp({ NODE_ENV: 'production' });
const development = await suiteApp();

describe('in production', () => {
  test.each(documents)(
    'in production, introspection is refused to a public token, also after others sent the same document: %s',
    async (document) => {
      const callers = await buildCallers(app);
      for (const round of [1, 2]) {
        const refused = await callers.public.gql<object | undefined>(document);
        const codes = refused.errors?.map(({ extensions }) => extensions.code);
        expect([round, refused.data ?? null, codes]).toEqual([round, null, ['FORBIDDEN']]);
        expect(refused.errors?.[0]?.extensions.requestId).toBe(refused.headers.get('x-request-id'));
        expect(JSON.stringify(refused.errors)).not.toMatch(/TokenWithSecret|createSession/);
        expectData(await callers.master.gql(document));
        expectData(await callers.user.gql(document));
      }
    },
  );

  test('in production, an introspecting operation is refused by its name among several', async () => {
    const site = await buildSite(app.database.prisma);
    const query = 'query A { channels { id } } query B { __schema { queryType { name } } }';
    const run = async (token: string): Promise<unknown> => {
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
      const body = JSON.stringify({ query, operationName: 'B' });
      return (await send<{ data?: unknown }>(app, 'POST', '/graphql', { headers, body })).body.data ?? null;
    };
    expect([await run(site.public), await run(site.master), await run(site.public)]).toEqual([
      null,
      { __schema: { queryType: { name: 'Query' } } },
      null,
    ]);
  });

  test('in production, introspection by GET is refused to a public token', async () => {
    const { public: token } = await buildSite(app.database.prisma);
    const path = `/graphql?query=${encodeURIComponent('{ __schema { types { name } } }')}`;
    const headers = { Authorization: `Bearer ${token}`, 'Apollo-Require-Preflight': 'true' };
    const answer = await send<{ data?: unknown; errors?: unknown[] }>(app, 'GET', path, { headers });
    expect([answer.body.data ?? null, answer.body.errors?.length]).toEqual([null, 1]);
  });

  test('in production, __typename is answered to every caller', async () => {
    const callers = await buildCallers(app);
    const document = '{ __typename channels { __typename } entries(channel: "articles") { nodes { __typename } } }';
    for (const caller of [callers.public, callers.user, callers.master]) {
      expect(expectData(await caller.gql(document))).toEqual({
        __typename: 'Query',
        channels: [{ __typename: 'Channel' }],
        entries: { nodes: [{ __typename: 'Entry' }] },
      });
    }
  });

  test('in production, queries that only resemble introspection are answered', async () => {
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

  test('in production, errors suggest no names of the schema', async () => {
    const callers = await buildCallers(app);
    for (const caller of Object.values(callers)) {
      const { status, errors } = await caller.gql('{ channel_ entrie(channel: "x") { nod } }');
      expect(status).toBe(400);
      expect(JSON.stringify(errors)).not.toMatch(/did you mean|channels|entries/i);
    }
  });

  const input = 'mutation ($value: EntryInput!) { createEntry(channel: "articles", input: $value) { id } }';
  test.each([
    ['a field', '{ channel_ { id } }', {}],
    ['an argument', '{ entry(channel: "articles", id: "one", useAc: true) { id } }', {}],
    ['a type', 'mutation ($value: EntryInpu!) { createEntry(channel: "articles", input: $value) { id } }', {}],
    ['an input’s member', 'mutation { createEntry(channel: "articles", input: { publishA: null }) { id } }', {}],
    ['an enum’s value', 'mutation { createEntry(channel: "articles", input: { status: DRAF }) { id } }', {}],
    ['a member deep in a variable', input, { value: { acl: [{ actor: '*', raed: true }] } }],
    ['an enum’s value in a variable', input, { value: { status: 'DRAF' } }],
  ])('in production, a misspelt name of %s is not corrected for a public token', async (_what, document, variables) => {
    const { public: visitor } = await buildCallers(app);
    const { status, errors } = await visitor.gql(document, variables);
    expect([status, errors?.length]).toEqual([400, expect.any(Number)]);
    for (const { message } of errors ?? []) expect(message).not.toMatch(/did you mean/i);
  });
});

describe('in development', () => {
  test('in development, every token may introspect', async () => {
    const callers = await buildCallers(development);
    for (const caller of Object.values(callers)) {
      for (const document of documents) expectData(await caller.gql(document));
    }
  });

  test('in development, introspection without a token is refused', async () => {
    expect((await as(development).gql(documents[0] ?? '')).status).toBe(401);
  });
});
