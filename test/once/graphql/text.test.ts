// Text that can't be stored, a NUL or half a surrogate pair: refused wherever it stands in a request (docs/contract.md §7).
import { describe, expect, test } from '@jest/globals';
import { send, type Caller, type GraphqlAnswer } from '../../support/as.ts';
import { expectData, expectRefusal, expectRequestRefused } from '../../support/expect.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const buildMaster = () => buildOne(app, {}, { createScope: 'public' });

/** Expects that a site's entries, channels and customers are what they were. */
async function expectNothingDone(master: Caller): Promise<void> {
  const state =
    '{ channels { id name } entries(channel: "articles") { nodes { slug version } } customers { totalCount } }';
  expect(expectData(await master.gql(state))).toEqual({
    channels: [{ id: 'articles', name: 'A channel' }],
    entries: { nodes: [{ slug: 'one', version: 1 }] },
    customers: { totalCount: 0 },
  });
}

/** Fields with a text in each kind of place that takes one; `@` stands for it. They are all walked by the same code. */
const fields: [kind: 'query' | 'mutation', field: string][] = [
  ['query', 'entry(channel: "articles", id: @) { id }'],
  ['query', 'entries(channel: "articles", sort: [@]) { totalCount }'],
  ['query', 'entries(channel: "articles", search: @) { totalCount }'],
  ['query', 'entries(channel: "articles", where: { field: @, value: 1 }) { totalCount }'],
  ['query', 'channel(id: @) { id }'],
  ['query', 'sessions(customer: @) { id }'],
  ['mutation', 'createEntry(channel: "articles", input: { slug: @ }) { id }'],
  ['mutation', 'createEntry(channel: "articles", input: { acl: [{ actor: @, read: true }] }) { id }'],
  ['mutation', 'createEntry(channel: "articles", input: { fields: { a: [{ b: [@] }] } }) { id }'],
  ['mutation', 'updateEntry(channel: "articles", id: @, input: { fields: { a: 1 } }) { id }'],
  ['mutation', 'deleteEntry(channel: "articles", id: @)'],
  ['mutation', 'createChannel(input: { id: "new", description: @ }) { id }'],
  ['mutation', 'deleteChannel(id: "articles", confirm: @)'],
  ['mutation', 'createCustomer(input: { roles: [@] }) { id }'],
  ['mutation', 'createToken(input: { kind: PUBLIC, name: @ }) { id }'],
];

function expectSaid(answer: GraphqlAnswer<unknown>): void {
  expect(answer.errors?.[0]?.message).toMatch(/NUL|surrogate/);
}

describe.each(fields)('%s { %s }', (kind, field) => {
  test('a NUL in a literal argument is BAD_USER_INPUT, and nothing is done', async () => {
    const { master } = await buildMaster();
    const answer = await master.gql(`${kind} { ${field.replace('@', '"a\\u0000b"')} }`);
    expectRefusal(answer, 'BAD_USER_INPUT');
    expectSaid(answer);
    await expectNothingDone(master);
  });
});

test('the siblings of a field with a NUL in its argument are answered', async () => {
  const { master } = await buildMaster();
  const answer = await master.gql('{ bad: channel(id: "\\u0000") { id } good: channel(id: "articles") { id } }');
  expectRefusal(answer, 'BAD_USER_INPUT');
  expect(answer.data).toEqual({ bad: null, good: { id: 'articles' } });
});

test('a NUL in the default of a variable is BAD_USER_INPUT', async () => {
  const { master } = await buildMaster();
  const answer = await master.gql('query ($id: ID! = "\\u0000") { channel(id: $id) { id } }');
  expectRefusal(answer, 'BAD_USER_INPUT');
  expectSaid(answer);
});

describe.each([
  ['a NUL', '\u0000'],
  ['a high surrogate', '\ud800'],
  ['a low surrogate', '\udc00'],
  ['surrogates the wrong way round', '\udc00\ud800'],
])('%s', (_name, text) => {
  test('a text that cannot be stored is refused in a variable', async () => {
    const { master } = await buildMaster();
    const create = 'mutation ($input: EntryInput!) { createEntry(channel: "articles", input: $input) { id } }';
    for (const fields of [{ title: text }, { a: [{ b: text }] }, { [`x${text}`]: 1 }]) {
      const answer = await master.gql(create, { input: { fields } });
      expectRequestRefused(answer, 400, 'BAD_USER_INPUT');
      expectSaid(answer);
    }
    await expectNothingDone(master);
  });

  test('a text that cannot be stored is refused in an unused variable and as a variable’s name', async () => {
    const { master } = await buildMaster();
    for (const variables of [{ unused: text }, { [text]: 1 }]) {
      expectRequestRefused(await master.gql('{ channels { id } }', variables), 400, 'BAD_USER_INPUT');
    }
  });

  test('a text that cannot be stored is refused in a variable of a GET', async () => {
    const { site } = await buildMaster();
    const query = encodeURIComponent('query ($id: ID!) { channel(id: $id) { id } }');
    const variables = encodeURIComponent(JSON.stringify({ id: text }));
    const answer = await send<{ data?: object; errors?: { extensions: { code: string } }[] }>(
      app,
      'GET',
      `/graphql?query=${query}&variables=${variables}`,
      { headers: { Authorization: `Bearer ${site.master}`, 'Apollo-Require-Preflight': 'true' } },
    );
    expect(answer.body.errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
    expect(answer.body.data ?? { channel: null }).toEqual({ channel: null });
  });

  test('a text that cannot be stored is refused in a document', async () => {
    const { master } = await buildMaster();
    for (const document of [
      `{ channel(id: """a${text}""") { id } }`,
      `{ channels { id } } # ${text}`,
      `{ channel(id: "${text}") { id } }`,
    ]) {
      expectRequestRefused(await master.gql(document), 400, 'BAD_USER_INPUT');
    }
  });
});

// GraphQL's own grammar has no such escape: it is refused as what can't be parsed.
test.each(['\\ud800', '\\udc00', '\\udc00\\ud800', '\\ud800x', '\\u{d800}'])(
  'half a surrogate pair as an escape in a literal is GRAPHQL_PARSE_FAILED: %s',
  async (escape) => {
    const { master } = await buildMaster();
    const create = `mutation { createEntry(channel: "articles", input: { fields: { title: "${escape}" } }) { id } }`;
    expectRequestRefused(await master.gql(create), 400, 'GRAPHQL_PARSE_FAILED');
    await expectNothingDone(master);
  },
);

test('surrogate pairs and all other characters are stored unchanged', async () => {
  const { master } = await buildMaster();
  const create =
    'mutation { createEntry(channel: "articles", input: { fields: { a: "\\ud83d\\ude00", b: "\\u{1F600}", c: "\\u0001\\ufffd" } }) { fields } }';
  expect(expectData(await master.gql(create))).toEqual({
    createEntry: { fields: { a: '😀', b: '😀', c: '\u0001\ufffd' } },
  });
});
