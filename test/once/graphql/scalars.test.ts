// JSON and JSONObject: what a document's literals and variables amount to, and what introspection says of the scalars.
import { expect, test } from '@jest/globals';
import { expectData, expectRequestRefused } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const { master } = await buildScene(await suiteApp());

const create = (fields: string): string => `createEntry(channel: "articles", input: { fields: ${fields} }) { fields }`;

test.each([
  ['{}', {}],
  ['{ a: "x", b: 1, c: -1.5e3, d: true, e: { f: null } }', { a: 'x', b: 1, c: -1500, d: true, e: { f: null } }],
  ['{ a: [], b: [1, [2, { c: [null] }]] }', { a: [], b: [1, [2, { c: [null] }]] }],
  ['{ a: { b: { c: {} } } }', { a: { b: { c: {} } } }],
  ['{ a: """\n  block\n  """ }', { a: 'block' }],
])('a literal of JSONObject is stored as its value: %s', async (literal, fields) => {
  expect(expectData(await master.gql(`mutation { ${create(literal)} }`))).toEqual({ createEntry: { fields } });
});

test('a literal of JSONObject may contain variables, and a member with an absent variable is absent', async () => {
  const document = `mutation ($title: String, $n: Int = 7, $any: JSON, $none: String, $null: String) {
    ${create('{ title: $title, deep: { list: [$n, $any], none: $none, null: $null } }')} }`;
  const any = { x: ['y', null] };
  expect(expectData(await master.gql(document, { title: 'One', any, null: null }))).toEqual({
    createEntry: { fields: { title: 'One', deep: { list: [7, any], null: null } } },
  });
});

test.each([
  ['[{ a: 1 }]', [{ a: 1 }], 'a list'],
  ['"{}"', '{}', 'a string'],
  ['1', 1, 'a number'],
  ['false', false, 'a boolean'],
])('%s is not a JSONObject, as a literal or in a variable', async (literal, value, found) => {
  const sent = await master.gql(`mutation ($fields: JSONObject) { ${create('$fields')} }`, { fields: value });
  for (const answer of [await master.gql(`mutation { ${create(literal)} }`), sent]) {
    expectRequestRefused(answer, 400, answer === sent ? 'BAD_USER_INPUT' : 'GRAPHQL_VALIDATION_FAILED');
    expect(answer.errors?.[0]?.message).toContain(`A JSONObject is an object, not ${found}.`);
  }
});

test('introspection has the descriptions of the scalars', async () => {
  const document = '{ __schema { types { kind name description specifiedByURL } } }';
  interface Type {
    readonly kind: string;
    readonly name: string;
  }
  const { __schema: found } = expectData(await master.gql<{ __schema: { types: Type[] } }>(document));
  const scalars = found.types.filter(
    ({ kind, name }) => kind === 'SCALAR' && /^(DateTime|JSON|JSONObject)$/.test(name),
  );
  const specifiedByURL = expect.stringMatching(/^https:\/\/www\.rfc-editor\.org\/rfc\/rfc8259/) as unknown;
  expect(scalars).toHaveLength(3);
  expect(scalars).toContainEqual({ kind: 'SCALAR', name: 'JSON', description: 'Any JSON value.', specifiedByURL });
  expect(scalars).toContainEqual({ kind: 'SCALAR', name: 'JSONObject', description: 'A JSON object.', specifiedByURL });
});
