// Mutation.bulkEntries (docs/contract.md §5, §7): the same operations as REST's bulk, in GraphQL's spelling.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { as, type Caller, type GraphqlAnswer } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import {
  entrySelection,
  expectData,
  expectRefusal,
  expectRequestRefused,
  type GraphqlEntry,
} from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

interface Result {
  readonly status: number;
  readonly entry: GraphqlEntry | null;
  readonly error: {
    code: string;
    message: string;
    errors: { field: string; code: string; message: string }[] | null;
  } | null;
}
type Data = Record<'bulkEntries', { readonly results: Result[] } | null>;

const mutation = `mutation ($channel: ID!, $operations: [EntryOperationInput!]!, $atomic: Boolean!, $useAcl: Boolean!) {
  bulkEntries(channel: $channel, operations: $operations, atomic: $atomic, useAcl: $useAcl) {
    results { status entry ${entrySelection} error { code message errors { field code message } } }
  }
}`;

const app = await suiteApp({ RATE_LIMIT: 'off' });
let scene: Scene;
beforeEach(async () => {
  scene = await buildScene(app);
});

function bulk(
  operations: unknown,
  more: Record<string, unknown> = {},
  caller: Caller = scene.master,
): Promise<GraphqlAnswer<Data>> {
  return caller.gql(mutation, { channel: 'articles', operations, atomic: false, useAcl: false, ...more });
}

async function resultsOf(answer: Promise<GraphqlAnswer<Data>>): Promise<Result[]> {
  return expectData(await answer).bulkEntries?.results ?? [];
}

const create = (title: string) => ({ op: 'CREATE', input: { fields: { title } } });

test('each operation of bulkEntries answers like its own mutation', async () => {
  await buildEntry(scene.db, scene.channel, { slug: 'open', data: { title: 'Open' } });
  await buildEntry(scene.db, scene.channel, { slug: 'taken' });
  const results = await resultsOf(
    bulk([
      create('New'),
      { op: 'UPDATE', id: 'open', ifVersion: 1, input: { status: 'DRAFT', acl: [{ actor: '*', read: true }] } },
      { op: 'UPDATE', id: 'open', ifVersion: 1, input: {} },
      { op: 'UPDATE', id: 'open', input: { slug: 'taken' } },
      { op: 'CREATE', input: { slug: 'No Slug' } },
      { op: 'DELETE', id: 'nowhere' },
      { op: 'DELETE', id: 'open', ifVersion: 2 },
    ]),
  );
  expect(results.map(({ status, error }) => [status, error?.code])).toEqual([
    [201, undefined],
    [200, undefined],
    [412, 'PRECONDITION_FAILED'],
    [409, 'CONFLICT'],
    [422, 'BAD_USER_INPUT'],
    [404, 'NOT_FOUND'],
    [204, undefined],
  ]);
  expect(results[0]?.entry).toMatchObject({ slug: 'new', version: 1, fields: { title: 'New' } });
  expect(results[1]?.entry).toMatchObject({ status: 'DRAFT', version: 2, acl: [{ actor: '*', read: true }] });
  expect(results.slice(2).map(({ entry }) => entry)).toEqual([null, null, null, null, null]);
  expect(results[3]?.error?.errors).toEqual([{ field: 'slug', code: 'taken', message: expect.any(String) }]);
  expect(results[5]?.error?.errors).toBeNull();
});

test('a malformed operation of bulkEntries is refused alone', async () => {
  const malformed = [
    ...[{ op: 'CREATE' }, { op: 'CREATE', id: 'x', input: {} }, { op: 'CREATE', ifVersion: 1, input: {} }],
    ...[{ op: 'UPDATE', input: {} }, { op: 'UPDATE', id: 'x' }, { op: 'DELETE' }, { op: 'DELETE', id: 'x', input: {} }],
  ];
  const results = await resultsOf(bulk([...malformed, create('Good')]));
  expect(results.map(({ status, error }) => [status, error?.code])).toEqual([
    ...malformed.map(() => [400, 'BAD_USER_INPUT']),
    [201, undefined],
  ]);
});

test('useAcl applies to each operation of bulkEntries; a visitor is refused likewise', async () => {
  await buildEntry(scene.db, scene.channel, { slug: 'open' });
  const operations = [create('A'), create('B'), { op: 'UPDATE', id: 'open', input: {} }, { op: 'DELETE', id: 'open' }];
  for (const answer of [bulk(operations, { useAcl: true }), bulk(operations, {}, scene.visitor)]) {
    expect((await resultsOf(answer)).map(({ error }) => error?.code)).toEqual(operations.map(() => 'FORBIDDEN'));
  }
});

describe('refused as a whole', () => {
  test('bulkEntries with no operation, more than 500, or an unknown channel is refused as a whole', async () => {
    const many = Array.from({ length: 501 }, () => ({ op: 'DELETE', id: 'x' }));
    for (const operations of [[], many]) expectRefusal(await bulk(operations), 'BAD_USER_INPUT');
    expectRefusal(await bulk([create('A')], { channel: 'nowhere' }), 'NOT_FOUND');
    expect((await resultsOf(bulk(many.slice(1)))).length).toBe(500);
  });

  test('bulkEntries with an unknown op is refused as a whole, before any operation is done', async () => {
    const answer = await bulk([{ op: 'UPSERT', input: {} }]);
    expect([answer.status, answer.errors?.[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
  });
});

test('each operation of a bulk counts against the rate limits, in variables, in the document, and by REST', async () => {
  const operations = Array.from({ length: 4 }, () => ({ op: 'DELETE', id: 'x' }));
  const limited = await startApp({ RATE_LIMIT_TOKEN: '14' }, app.database);
  try {
    const caller = as(limited, { token: scene.site.master });
    const left = ({ headers }: { headers: Headers }): string | undefined =>
      /;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1];
    expect(left(await bulk(operations, {}, caller))).toBe('10');
    const one = 'bulkEntries(channel: "articles", operations: [{ op: DELETE, id: "x" }, { op: DELETE, id: "y" }])';
    const two = await caller.gql(`mutation { a: ${one} { results { status } } b: ${one} { results { status } } }`);
    expect(left(two)).toBe('6');
    const rest = operations.map(() => ({ op: 'delete', id: 'x' }));
    const path = '/channels/articles/entries/bulk';
    expect(left(await caller.rest('POST', path, { body: { operations: rest } }))).toBe('2');
    expect((await caller.rest('POST', path, { body: { operations: rest } })).status).toBe(429);
    expectRequestRefused(await bulk(operations, {}, caller), 429, 'RATE_LIMITED');
  } finally {
    await limited.close();
  }
});
