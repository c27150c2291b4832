// A variable that is absent is not null (GraphQL §2.9, §3.10, §3.11; docs/contract.md §7.2, §7.3): in literals of `fields`, in the
// operations of a bulk, and in the values of filters, at /graphql and at /graphql/site.
import { describe, expect, test } from '@jest/globals';
import type { Caller } from '../../support/as.ts';
import { expectData } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const fields = [
  { name: 'title', type: 'string' },
  { name: 'rating', type: 'integer', default: 3 },
  { name: 'tags', type: 'strings' },
  { name: 'meta', type: 'json' },
  { name: 'seen', type: 'date' },
  { name: 'ok', type: 'boolean' },
];
const values = { title: 'One', rating: 5, tags: ['a'], meta: { a: 1 }, seen: '2026-01-31', ok: true };
const path = '/channels/articles/entries/one';

/** A channel with declared fields and the entry `one`. */
async function buildDeclared(): Promise<Caller> {
  const { master } = await buildScene(app);
  expect((await master.rest('PATCH', '/channels/articles', { body: { fields } })).status).toBe(200);
  const created = await master.rest('POST', '/channels/articles/entries', { body: { ...values, slug: 'one' } });
  expect(created.status).toBe(201);
  return master;
}

describe('a member of `fields` whose variable is absent', () => {
  test('updateEntry leaves a member of `fields` with an absent variable unchanged, while null clears it', async () => {
    const master = await buildDeclared();
    const document = `mutation ($t: JSON, $r: JSON, $m: JSON, $tag: JSON) { updateEntry(channel: "articles", id: "one",
      input: { fields: { title: $t, rating: $r, meta: { b: $m, c: [$m] }, tags: $tag } }) { id } }`;
    expectData(await master.gql(document, { t: 'Two' }));
    const changed = { ...values, title: 'Two', meta: { c: [null] } };
    expect((await master.rest('GET', path)).body).toMatchObject(changed);
    expectData(await master.gql(document, { t: 'Two', r: null, m: 1 }));
    expect((await master.rest('GET', path)).body).toMatchObject({ rating: null, meta: { b: 1, c: [1] } });
  });

  test('createEntry gives a member of `fields` with an absent variable its default, and null none', async () => {
    const master = await buildDeclared();
    const document = `mutation ($r: JSON) { createEntry(channel: "articles", input: { fields: { title: "New", rating: $r } }) { fields } }`;
    for (const [variables, rating] of [
      [{}, 3],
      [{ r: null }, null],
    ] as const) {
      const { createEntry } = expectData(await master.gql<{ createEntry: { fields: object } }>(document, variables));
      expect(createEntry.fields).toMatchObject({ title: 'New', rating });
    }
  });

  test('each operation of a bulk leaves a member of `fields` with an absent variable unchanged', async () => {
    const master = await buildDeclared();
    const document = `mutation ($r: JSON, $v: Int) { bulkEntries(channel: "articles", operations: [
      { op: UPDATE, id: "one", ifVersion: $v, input: { fields: { title: "Three", rating: $r } } }
      { op: CREATE, input: { fields: { title: "Four", rating: $r } } }
    ]) { results { status entry { fields } } } }`;
    const { bulkEntries } = expectData(
      await master.gql<{ bulkEntries: { results: { status: number; entry: { fields: object } }[] } }>(document),
    );
    expect(bulkEntries.results).toMatchObject([
      { status: 200, entry: { fields: { title: 'Three', rating: 5 } } },
      { status: 201, entry: { fields: { title: 'Four', rating: 3 } } },
    ]);
  });

  test('/graphql/site leaves a member with an absent variable unchanged', async () => {
    const master = await buildDeclared();
    const document = `mutation ($r: SafeInt, $m: JSON) {
      updateArticles(id: "one", input: { title: "Five", rating: $r, meta: { b: $m } }) { id } }`;
    expectData(await master.gql(document, {}, { path: '/graphql/site' }));
    expect((await master.rest('GET', path)).body).toMatchObject({ title: 'Five', rating: 5, meta: {} });
  });
});

describe('an absent variable in the list of a filter is BAD_USER_INPUT', () => {
  test.each([
    ...(['title', 'tags', 'rating', 'meta', 'seen', 'ok', 'updatedAt', 'status'] as const).flatMap((field) => [
      [field, 'IN'] as const,
      [field, 'NIN'] as const,
    ]),
    ['tags', 'ALL'] as const,
  ])('an absent variable in the list of a filter is BAD_USER_INPUT: %s %s', async (field, op) => {
    const master = await buildDeclared();
    const document = `query ($a: JSON, $b: JSON) { entries(channel: "articles", where: { field: "${field}", op: ${op}, value: [$a, $b] }) { totalCount } }`;
    const known: Record<string, unknown> = {
      ...values,
      tags: 'a',
      updatedAt: '2026-01-31T00:00:00Z',
      status: 'published',
    };
    for (const variables of [{}, { a: known[field] }, { a: known[field], b: null }]) {
      const { errors } = await master.gql(document, variables);
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
    }
  });

  test('an absent variable in the list of a filter is BAD_USER_INPUT at /graphql/site, too', async () => {
    const master = await buildDeclared();
    const document =
      'query ($a: SafeInt!, $b: SafeInt!) { articles(where: { rating: { in: [$a, $b] } }) { totalCount } }';
    const { errors } = await master.gql(document, { a: 5 }, { path: '/graphql/site' });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
  });
});
