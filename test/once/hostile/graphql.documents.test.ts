// Documents that GraphQL does not know, or that are made to show what is hidden: refused as a whole, or answered with
// nothing of it (docs/contract.md §3, §7).
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { as, send, type Caller, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, type TestSite } from '../../support/build.ts';
import { expectGraphqlRefused } from '../../support/refused.ts';
import { startWatchedApp, type WatchedApp } from '../../support/statements.ts';

let app: WatchedApp;
let site: TestSite;
let master: Caller;
let visitor: Caller;
let bob: Caller;
beforeAll(async () => {
  app = await startWatchedApp();
  const db = app.database.prisma;
  site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { id: 'articles', readScope: 'private' });
  const data = { title: 'One' };
  await buildEntry(db, channel, {
    slug: 'one',
    owner: 'ada',
    acl: { '*': { read: true }, secretary: { update: true } },
    data,
  });
  await buildEntry(db, channel, { slug: 'hidden', owner: 'ada', data: { title: 'Secret Merger' } });
  const { session } = await buildCustomer(db, site.id, { id: 'bob' });
  master = as(app, { token: site.master });
  visitor = as(app, { token: site.public });
  bob = as(app, { token: site.public, session });
  // What decides access is in the caches: from now on only what is executed asks the database.
  await master.gql(query);
});
afterAll(async () => {
  const { data } = await master.gql('{ entries(channel: "articles") { totalCount } }');
  expect(data).toEqual({ entries: { totalCount: 2 } });
  await app.close();
});

const query = '{ channels { id } }';
const mutation = 'mutation { deleteEntry(channel: "articles", id: "one") }';
const two = 'query A { channels { id } } query B { channels { id } }';
const input = [400, 'bad_request'] as const;
const parse = [400, 'GRAPHQL_PARSE_FAILED'] as const;
const invalid = [400, 'GRAPHQL_VALIDATION_FAILED'] as const;
const operation = [400, 'OPERATION_RESOLUTION_FAILURE'] as const;

/** A body with the master token, as it is given. */
function ask(body: string | object): Promise<RestAnswer<unknown>> {
  const headers = { Authorization: `Bearer ${site.master}`, 'Content-Type': 'application/json' };
  return send(app, 'POST', '/graphql', { headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

type Row = [what: string, body: string | object, status: number, code: string];

describe('refused, and no statement asked', () => {
  test.each<Row>([
    ['no GraphQL', { query: '{' }, ...parse],
    ['JSON for a query', { query: '{"a": 1}' }, ...parse],
    ['blanks', { query: ' \n' }, ...parse],
    ['a comment', { query: '# nothing' }, ...parse],
    ['SQL', { query: 'SELECT * FROM entries' }, ...parse],
    ['more tokens than are read', { query: `{ ${'a '.repeat(20_000)} }` }, 400, 'QUERY_TOO_COMPLEX'],
    ['an unknown field', { query: '{ secrets }' }, ...invalid],
    ['__proto__ for a field', { query: '{ __proto__ { id } }' }, ...invalid],
    ['constructor for a field', { query: '{ constructor }' }, ...invalid],
    ['a field of another type', { query: '{ channels { token } }' }, ...invalid],
    ['an unknown directive', { query: '{ channels @defer { id } }' }, ...invalid],
    ['a fragment within itself', { query: '{ channels { ...A } } fragment A on Channel { id ...A }' }, ...invalid],
    [
      'fragments within each other',
      { query: '{ channels { ...A } } fragment A on Channel { ...B } fragment B on Channel { ...A }' },
      ...invalid,
    ],
    ['a fragment that there is not', { query: '{ channels { ...A } }' }, ...invalid],
    ['a fragment of another type', { query: '{ channels { ... on Token { id } } }' }, ...invalid],
    ['fields of one name that differ', { query: '{ channels { id id: name } }' }, ...invalid],
    ['a definition of a type', { query: `${query} type Query { a: Int }` }, ...invalid],
    ['a subscription', { query: 'subscription { channels { id } }' }, ...input],
    ['two operations and no name', { query: two }, ...operation],
    ['two operations and an empty name', { query: two, operationName: '' }, ...operation],
    ['a name that there is not', { query: two, operationName: 'C' }, ...operation],
    ['__proto__ for a name', { query: two, operationName: '__proto__' }, ...operation],
    ['constructor for a name', { query: two, operationName: 'constructor' }, ...operation],
    ['a variable that is missing', { query: 'query ($id: ID!) { channel(id: $id) { id } }' }, ...input],
    [
      'a variable on the prototype',
      '{"query":"query ($id: ID!) { channel(id: $id) { id } }","variables":{"__proto__":{"id":"articles"}}}',
      ...input,
    ],
    [
      'a variable of another kind',
      { query: 'query ($id: ID!) { channel(id: $id) { id } }', variables: { id: {} } },
      ...input,
    ],
    [
      'a number beyond numbers',
      { query: '{ entries(channel: "articles", first: 99999999999) { totalCount } }' },
      ...invalid,
    ],
  ])('%s', async (_what, body, status, code) => {
    app.statements();
    const answer = await ask(body);
    expect(app.statements().filter((statement) => !/^Token |^ping/.test(statement))).toEqual([]);
    expectGraphqlRefused(answer, status, code);
  });
});

describe('documents are not kept by their hashes', () => {
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const hashed = (version: unknown, hash: unknown) => ({ persistedQuery: { version, sha256Hash: hash } });
  test.each<[what: string, body: object]>([
    ['a hash alone', { extensions: hashed(1, sha256Hash) }],
    ['a query and its hash', { query, extensions: hashed(1, sha256Hash) }],
    ['a query and another hash', { query, extensions: hashed(1, 'x') }],
    ['a mutation with a query’s hash', { query: mutation, extensions: hashed(1, sha256Hash) }],
    ['another version', { query, extensions: hashed(2, sha256Hash) }],
    ['a hash that is an object', { query, extensions: hashed(1, {}) }],
    ['true', { query, extensions: { persistedQuery: true } }],
  ])('%s: told so, in the words that clients know, and nothing done', async (_what, body) => {
    for (const sent of [body, { extensions: hashed(1, sha256Hash) }]) {
      expectGraphqlRefused(await ask(sent), 200, 'PERSISTED_QUERY_NOT_SUPPORTED');
    }
  });
});

describe('what a visitor may not see stays unseen', () => {
  const hidden = /secret|ada|Merger|editor/i;
  const rows: [what: string, document: string, told: unknown, codes: string[]][] = [
    [
      'under another name',
      '{ entry(channel: "articles", id: "one") { title: owner slug: acl { actor } } }',
      { entry: { title: null, slug: null } },
      [],
    ],
    [
      'in a fragment',
      '{ entry(channel: "articles", id: "one") { ...A } } fragment A on Entry { owner acl { actor } }',
      { entry: { owner: null, acl: null } },
      [],
    ],
    [
      'in fragments upon fragments',
      '{ entry(channel: "articles", id: "one") { ... on Entry { ...A ... { x: owner } } } } fragment A on Entry { y: owner }',
      { entry: { x: null, y: null } },
      [],
    ],
    [
      'included',
      'query ($on: Boolean = true) { entry(channel: "articles", id: "one") { owner @include(if: $on) acl @skip(if: false) { actor } } }',
      { entry: { owner: null, acl: null } },
      [],
    ],
    [
      'in a list',
      '{ entries(channel: "articles") { totalCount nodes { owner } edges { node { o: owner a: acl { update } } } } }',
      { entries: { totalCount: 1, nodes: [{ owner: null }], edges: [{ node: { o: null, a: null } }] } },
      [],
    ],
    [
      'of its channel',
      '{ entry(channel: "articles", id: "one") { channel { a: acl { read } ...A } } } fragment A on Channel { b: acl { update } }',
      { entry: { channel: { a: null, b: null } } },
      [],
    ],
    [
      'an entry under another name',
      '{ a: entry(channel: "articles", id: "hidden") { titleFieldValue } b: entry(channel: "articles", id: "one") { slug } }',
      { a: null, b: { slug: 'one' } },
      ['NOT_FOUND'],
    ],
    [
      'an entry with useAcl off',
      '{ entry(channel: "articles", id: "hidden", useAcl: false) { fields } }',
      { entry: null },
      ['NOT_FOUND'],
    ],
    [
      'two entries, one of them hidden, by an update',
      'mutation { a: updateEntry(channel: "articles", id: "hidden", input: {}) { fields } b: updateEntry(channel: "articles", id: "one", input: {}) { owner } }',
      { a: null, b: null },
      ['NOT_FOUND', 'FORBIDDEN'],
    ],
    [
      'tokens, customers and sessions',
      '{ tokens { id } a: customers { totalCount } b: customer(id: "ada") { id } c: sessions(customer: "ada") { id } channels { id } }',
      { tokens: null, a: null, b: null, c: null, channels: [{ id: 'articles' }] },
      ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
    ],
  ];
  test.each(rows)('%s', async (_what, document, told, codes) => {
    for (const caller of [visitor, bob]) {
      const { status, data, errors } = await caller.gql(document);
      expect([status, data, (errors ?? []).map(({ extensions }) => extensions.code).sort()]).toEqual([
        200,
        told,
        [...codes].sort(),
      ]);
      for (const { path, message } of errors ?? []) {
        expect([data[String(path?.[0])], hidden.test(message)]).toEqual([null, false]);
      }
    }
  });
});
