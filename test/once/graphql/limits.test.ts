// How much an operation may ask for. Each limit: what is just within it is answered, one more is refused, before any SQL.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import { startApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { expectData, expectRequestRefused } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';
import { statementsDuring } from '../../support/sql.ts';

const limits = {
  GRAPHQL_MAX_LENGTH: '20000',
  GRAPHQL_MAX_TOKENS: '300',
  GRAPHQL_MAX_DEPTH: '6',
  GRAPHQL_MAX_ALIASES: '10',
  GRAPHQL_MAX_ROOT_FIELDS: '5',
  GRAPHQL_MAX_COST: '500',
};

const app = await suiteApp(limits);
let caller: Caller;
beforeAll(async () => {
  const { channel, visitor } = await buildScene(app);
  await buildEntry(app.database.prisma, channel, { slug: 'one' });
  caller = visitor;
  // What is known of the caller and of the channel is cached from here on.
  expectData(await caller.gql('{ entry(channel: "articles", id: "one") { id } }'));
});

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
const nested = (levels: number): string => (levels === 0 ? 'id' : `... on Entry { ${nested(levels - 1)} }`);
const page = (first: number, fields: string): string =>
  `{ entries(channel: "articles", first: ${first}) { nodes { ${fields} } } }`;

/** Fragments that each spread the next one twice: 2^levels fields in few words. */
const doubling = (levels: number): string =>
  `{ ...f0 } ${times(levels, (index) => `fragment f${index} on Query { ...f${index + 1} ...f${index + 1} }`)}
   fragment f${levels} on Query { channels { id } }`;

interface Case {
  readonly allowed: string;
  readonly refused: string;
  readonly tells: RegExp;
  readonly variables?: { allowed: Record<string, unknown>; refused: Record<string, unknown> };
}

const cases: Record<string, Case> = {
  length: {
    allowed: `{ channels { id } } #${'x'.repeat(19_000)}`,
    refused: `{ channels { id } } #${'x'.repeat(20_000)}`,
    tells: /20021 characters.*20000/,
  },
  tokens: {
    allowed: `{ channel(id: "articles") { ${'id '.repeat(280)} } }`,
    refused: `{ channels { ${'id '.repeat(300)} } }`,
    tells: /lexical tokens.*300/,
  },
  depth: {
    allowed: '{ entries(channel: "articles") { edges { node { channel { acl { read } } } } } }',
    refused:
      '{ entries(channel: "articles") { edges { node { channel { acl { __typename } } } } } a: __schema { types { fields { type { ofType { ofType { name } } } } } } }',
    tells: /7 levels.*6/,
  },
  'depth in fragments': {
    allowed: `{ entry(channel: "articles", id: "one") { ${nested(50)} } }`,
    refused: `{ a: __type(name: "Entry") { ...t } } fragment t on __Type { fields { type { ofType { ofType { ofType { name } } } } } }`,
    tells: /7 levels.*6/,
  },
  aliases: {
    allowed: `{ channels { ${times(10, (index) => `a${index}: id`)} } }`,
    refused: `{ channels { ${times(11, (index) => `a${index}: id`)} } }`,
    tells: /11 aliases.*10/,
  },
  'aliases in fragments': {
    allowed: `{ channels { ...f } } fragment f on Channel { ${times(10, (index) => `a${index}: id`)} }`,
    refused: `{ channels { ...f } b: channels { ...f } } fragment f on Channel { ${times(5, (index) => `a${index}: id`)} }`,
    tells: /11 aliases.*10/,
  },
  'root fields': {
    allowed: `{ ${times(5, (index) => `a${index}: channels { id }`)} }`,
    refused: `{ ${times(6, (index) => `a${index}: channels { id }`)} }`,
    tells: /6 fields at its top.*5/,
  },
  'root fields by fragments that double': {
    allowed: doubling(2),
    refused: doubling(20),
    tells: /\d+ fields at its top.*5/,
  },
  'cost of a list': {
    allowed: page(240, 'id slug'),
    refused: page(250, 'id slug'),
    tells: /502 fields to resolve.*500/,
  },
  'cost of a list in a fragment': {
    allowed:
      '{ entries(channel: "articles", first: 100) { ...f } } fragment f on EntryConnection { nodes { id slug } edges { cursor } }',
    refused:
      '{ entries(channel: "articles", first: 200) { ...f } } fragment f on EntryConnection { nodes { id slug } edges { cursor } }',
    tells: /603 fields to resolve.*500/,
  },
  'cost by a variable': {
    allowed: 'query ($n: Int) { entries(channel: "articles", first: $n) { nodes { id slug } } }',
    refused: 'query ($n: Int) { entries(channel: "articles", first: $n) { nodes { id slug } } }',
    variables: { allowed: { n: 1 }, refused: { n: 250 } },
    tells: /502 fields to resolve.*500/,
  },
  "cost by a variable's default": {
    allowed: 'query ($n: Int = 20) { entries(channel: "articles", first: $n) { nodes { id slug } } }',
    refused: 'query ($n: Int = 250) { entries(channel: "articles", first: $n) { nodes { id slug } } }',
    tells: /502 fields to resolve.*500/,
  },
};

describe.each(Object.entries(cases))('%s', (_name, { allowed, refused, tells, variables }) => {
  test('an operation up to the limit is answered', async () => {
    expectData(await caller.gql(allowed, variables?.allowed));
  });

  test('an operation beyond the limit is refused before any SQL, also if the document was accepted before', async () => {
    const texts = await statementsDuring(async () => {
      const answer = await caller.gql(refused, variables?.refused);
      expectRequestRefused(answer, 400, 'QUERY_TOO_COMPLEX');
      expect(answer.errors?.[0]?.message).toMatch(tells);
    });
    expect(texts).toEqual([]);
  });
});

test('a page size out of bounds is refused by the operation, in its own words', async () => {
  const answer = await caller.gql(page(1_000_000_000, 'id'));
  expect(answer.errors?.[0]).toMatchObject({
    message: 'A page must have 1 to 250 items (REST: per_page, GraphQL: first).',
    extensions: { code: 'BAD_USER_INPUT' },
  });
});

test('a mutation beyond the limits is refused before any of its fields is done', async () => {
  const deletes = times(6, (index) => `a${index}: deleteEntry(channel: "articles", id: "one")`);
  expectRequestRefused(await caller.gql(`mutation { ${deletes} }`), 400, 'QUERY_TOO_COMPLEX');
});

test('the default limits allow the full introspection query, and a page of 250 entries with all members', async () => {
  const usual = await startApp({}, app.database);
  const { site } = await buildScene(app);
  const master = as(usual, { token: site.master });
  expectData(await master.gql(getIntrospectionQuery()));
  const everything =
    'id shortId slug url version createdAt updatedAt titleFieldValue status publishAt owner fields acl { actor read } channel { id name }';
  expectData(
    await master.gql(
      `{ entries(channel: "articles", first: 250) { totalCount nodes { ${everything} } edges { cursor node { ${everything} } } } }`,
    ),
  );
  await usual.close();
});
