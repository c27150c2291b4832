// Numbers that JavaScript would read as others: refused with their field on every way in, so that none is stored as another
// one (docs/contract.md §5).
import { describe, expect, test } from '@jest/globals';
import type { Caller, RestAnswer } from '../../support/as.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const list = '/channels/articles/entries';
const app = await suiteApp();

const unsafe = ['9007199254740992', '-9007199254740993', '12345678901234567890', '1e400', '-1e400'];
const safe = [
  '9007199254740991',
  '-9007199254740991',
  '6.02214076e23',
  '1e300',
  '0.12345678901234567891',
  '0',
  '1e-400',
];

/** A site with a channel of its own fields beside the one without. */
async function buildScene(): Promise<{ master: Caller }> {
  const { master } = await buildOne(app, { data: { title: 'One' } });
  await createChannel(master, '');
  return { master };
}

const createChannel = (master: Caller, id: string, value = '1') =>
  master.gql(`mutation { createChannel(input: { id: "declared${id}", fields: [
    { name: "title", type: STRING }, { name: "whole", type: INTEGER }, { name: "part", type: FLOAT },
    { name: "any", type: JSON, default: { deep: [${value}] } }] }) { id } }`);

function expectOutOfRange(answer: RestAnswer<unknown>, field: string): void {
  expectProblem(answer, 'validation_failed', [field]);
  expect(answer.body).toMatchObject({ errors: [{ code: 'out_of_range' }] });
}

describe.each(unsafe)('%s', (number) => {
  test('the unsafe number is refused in REST', async () => {
    const { master } = await buildScene();
    for (const body of [`{"n":${number}}`, `{"n":{"deep":[0,{"er":${number}}]}}`, `{"title":"\\"", "n":[${number}]}`]) {
      for (const [method, path] of [
        ['POST', list],
        ['PUT', `${list}/one`],
        ['PATCH', `${list}/one`],
      ] as const) {
        expectOutOfRange(await master.rest(method, path, { body }), 'n');
      }
    }
    for (const name of ['whole', 'part', 'any']) {
      expectOutOfRange(
        await master.rest('POST', '/channels/declared/entries', { body: `{"${name}":${number}}` }),
        name,
      );
    }
    expect((await master.rest('GET', `${list}/count`)).body).toEqual({ count: 1 });
  });

  test('the unsafe number is refused in a bulk', async () => {
    const { master } = await buildScene();
    const body = `{"operations":[{"op":"create","data":{"n":${number}}},{"op":"create","data":{"n":1}}]}`;
    const { body: answer } = await master.rest('POST', `${list}/bulk`, { body });
    expect(answer).toMatchObject({
      results: [{ status: 422, error: { errors: [{ field: 'n', code: 'out_of_range' }] } }, { status: 201 }],
    });
  });

  test('the unsafe number is refused in GraphQL, as a literal and in variables', async () => {
    const { master } = await buildScene();
    const create = (value: string): string => `createEntry(channel: "articles", input: { fields: ${value} }) { id }`;
    const bodies = [
      JSON.stringify({ query: `mutation { ${create(`{ n: [{ deep: ${number} }] }`)} }` }),
      `{"query":${JSON.stringify(`mutation($f: JSONObject) { ${create('$f')} }`)},"variables":{"f":{"n":${number}}}}`,
      `{"query":${JSON.stringify(`mutation($f: JSON) { ${create('{ n: $f }')} }`)},"variables":{"f":[${number}]}}`,
    ];
    for (const body of bodies) {
      const answer = await master.rest<{ errors: unknown }>('POST', '/graphql', { body });
      expect(answer.body.errors).toMatchObject([
        { extensions: { code: 'BAD_USER_INPUT', errors: [{ field: 'n', code: 'out_of_range' }] } },
      ]);
    }
  });

  test('the unsafe number is refused as the default of a field', async () => {
    const { master } = await buildScene();
    const { errors } = await createChannel(master, '2', number);
    expect(errors?.[0]?.extensions.errors).toMatchObject([{ code: 'out_of_range' }]);
  });
});

test('a byte order mark before an unsafe number is no part of the JSON', async () => {
  const { master } = await buildScene();
  const entry = expectEntry(await master.rest('POST', list, { body: '\ufeff{"t":"a1e","n":1e3}' }), 201);
  expect([entry['t'], entry['n']]).toEqual(['a1e', 1000]);
  expectOutOfRange(await master.rest('POST', list, { body: '\ufeff{"n":12345678901234567890}' }), 'n');
});

test.each(safe)('the number %s is stored unchanged', async (number) => {
  const { master } = await buildScene();
  const entry = expectEntry(await master.rest('POST', list, { body: `{"n":[${number}],"text":"${unsafe[2]}"}` }), 201);
  expect([entry['n'], entry['text']]).toEqual([[Number(number)], unsafe[2]]);
  const declared = await master.rest('POST', '/channels/declared/entries', { body: `{"part":${number}}` });
  expect(expectEntry(declared, 201)['part']).toBe(Number(number));
});
