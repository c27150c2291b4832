// Documents that GraphQL does not know: refused as a whole (docs/contract.md §7). Those that are made to show what is
// hidden are in test/once/security/advisories.graphql.test.ts (V7).
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { send, type RestAnswer } from '../../support/as.ts';
import { expectGraphqlRefused } from '../../support/refused.ts';
import { buildOne, suiteWatchedApp } from '../../support/scene.ts';

const query = '{ channels { id } }';
const mutation = 'mutation { deleteEntry(channel: "articles", id: "one") }';

const app = await suiteWatchedApp();
const { site, master } = await buildOne(app);
// What decides access is in the caches: from now on only what is executed asks the database.
await master.gql(query);

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
    ['a subscription that there is not', { query: 'subscription { channels { id } }' }, ...invalid],
    ['a subscription', { query: 'subscription { changes { id } }' }, ...input],
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
  ])('a hostile document is refused before any SQL: %s', async (_what, body, status, code) => {
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
  ])('a persisted query is refused in the words of its protocol, and nothing is done: %s', async (_what, body) => {
    for (const sent of [body, { extensions: hashed(1, sha256Hash) }]) {
      expectGraphqlRefused(await ask(sent), 200, 'PERSISTED_QUERY_NOT_SUPPORTED');
    }
  });
});

test('the refused documents have changed nothing', async () => {
  const { data } = await master.gql('{ entries(channel: "articles") { totalCount } }');
  expect(data).toEqual({ entries: { totalCount: 1 } });
});
