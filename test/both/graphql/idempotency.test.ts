// Idempotency-Key in GraphQL (docs/contract.md §5.11): it holds for an operation with exactly one mutation field.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { as, type Caller, type GraphqlAnswer } from '../../support/as.ts';
import { expectData } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp();
let scene: Scene;
beforeEach(async () => {
  scene = await buildScene(app, { createScope: 'public' });
});

const create = (title: string): string =>
  `mutation { createEntry(channel: "articles", input: { fields: { title: "${title}" } }) { id version fields } }`;

const ask = (key: string, query: string, variables?: Record<string, unknown>, caller: Caller = scene.master) =>
  caller.gql(query, variables, { headers: { 'Idempotency-Key': key } });

const answered = ({ data, errors, headers }: GraphqlAnswer<unknown>): unknown => ({
  data,
  errors: errors?.map(({ message, path, extensions: { code } }) => ({ message, path, code })),
  replayed: headers.get('idempotent-replayed'),
});

const count = (): Promise<number> => app.database.prisma.entry.count({ where: { siteId: scene.site.id } });
const replay = (answer: GraphqlAnswer<unknown>): unknown => ({ ...(answered(answer) as object), replayed: 'true' });

describe('the same operation again gets the first answer, and is done once', () => {
  test('createEntry repeated with its key gets the first answer, unchanged, and is done once', async () => {
    const first = await ask('k', create('One'));
    const { createEntry } = expectData<{ createEntry: { id: string } }>(first as never);
    await scene.master.rest('DELETE', `/channels/articles/entries/${createEntry.id}`);
    expect(answered(await ask('k', create('One')))).toEqual(replay(first));
    expect(await count()).toBe(0);
  });

  test.each<[what: string, query: string]>([
    [
      'updateEntry',
      'mutation { updateEntry(channel: "articles", id: "one", input: { fields: { n: 2 } }) { version } }',
    ],
    ['deleteEntry', 'mutation { deleteEntry(channel: "articles", id: "one") }'],
    [
      'bulkEntries',
      `mutation { bulkEntries(channel: "articles", operations: [{ op: CREATE, input: {} }, { op: DELETE, id: "gone" }]) {
        results { status entry { id } error { code } } } }`,
    ],
    ['createChannel', 'mutation { createChannel(input: { id: "films" }) { id } }'],
    [
      'updateChannel',
      `mutation { updateChannel(id: "articles", input: { fields: [
        { name: "title", type: STRING, unique: true }, { name: "n", type: INTEGER }] }) { fields { name } } }`,
    ],
    ['deleteChannel', 'mutation { deleteChannel(id: "articles", confirm: "articles") }'],
    ['createCustomer', 'mutation { createCustomer(input: { name: "Ann" }) { id name } }'],
    ['createToken', 'mutation { createToken(input: { kind: PUBLIC }) { id token } }'],
  ])('a mutation repeated with its key gets the first answer, and is done once: %s', async (_what, query) => {
    await scene.master.rest('POST', '/channels/articles/entries', { body: { slug: 'one', title: 'One' } });
    const first = await ask('k', query);
    expect(first.errors).toBeUndefined();
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(answered(await ask('k', query))).toEqual(replay(first));
  });

  test('createSession repeated with its key gets the same valid token, which is not stored in clear', async () => {
    expectData(await scene.master.gql('mutation { createCustomer(input: { id: "ann" }) { id } }'));
    const query = 'mutation { createSession(customer: "ann") { id token } }';
    const first = await ask('k', query);
    expect(answered(await ask('k', query))).toEqual(replay(first));
    const { createSession } = expectData<{ createSession: { token: string } }>(first as never);
    const visitor = as(app, { token: scene.site.public, session: createSession.token });
    expect((await visitor.rest('GET', '/channels/articles/entries')).status).toBe(200);
    const rows = await app.database.prisma.idempotencyKey.findMany({ where: { siteId: scene.site.id } });
    expect(rows.map(({ body }) => body)).toEqual([expect.not.stringContaining(createSession.token)]);
  });

  test('a repeated request gets an error below a completed field again', async () => {
    const query = `mutation { createEntry(channel: "articles", input: {}) { id reference(field: "none") { id } } }`;
    const first = await ask('k', query);
    expect(first.errors).toHaveLength(1);
    expect(answered(await ask('k', query))).toEqual(replay(first));
    expect(await count()).toBe(1);
  });

  test('a revocation or change with a key applies at once', async () => {
    const { token } = expectData<{ createToken: { token: string; id: string } }>(
      await scene.master.gql('mutation { createToken(input: { kind: PUBLIC }) { id token } }'),
    ).createToken;
    const other = as(app, { token });
    expect((await other.rest('GET', '/channels/articles/entries')).status).toBe(200);
    const tokens = expectData<{ tokens: { id: string; kind: string; createdAt: string }[] }>(
      await scene.master.gql('{ tokens { id kind createdAt } }'),
    ).tokens;
    for (const { id, kind } of tokens) {
      if (kind === 'PUBLIC') expectData(await ask(id, `mutation { revokeToken(id: "${id}") }`));
    }
    expect((await other.rest('GET', '/channels/articles/entries')).status).toBe(401);
    expectData(await ask('c', 'mutation { updateChannel(id: "articles", input: { publishable: true }) { id } }'));
    const made = await scene.master.rest('POST', '/channels/articles/entries', { body: {} });
    expect(made.body['_status']).toBe('draft');
  });

  test('ten concurrent createEntry with one key make one entry', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask('k', create('One'))));
    for (const { errors, status } of answers)
      if (errors) expect([status, errors[0]?.extensions.code]).toEqual([409, 'CONFLICT']);
    expect(await count()).toBe(1);
  });
});

describe('refused', () => {
  test('another operation or other variables with a used key are refused', async () => {
    expectData(await ask('k', create('One')));
    for (const query of [create('Two'), `${create('One')} `]) {
      const answer = await ask('k', query);
      expect([answer.status, answer.errors?.[0]?.extensions]).toMatchObject([
        422,
        { code: 'BAD_USER_INPUT', errors: [{ field: 'Idempotency-Key', code: 'reused' }] },
      ]);
    }
    const rest = await scene.master.rest('POST', '/channels/articles/entries', {
      body: { title: 'One' },
      headers: { 'Idempotency-Key': 'k' },
    });
    expect(rest.status).toBe(422);
    expect(await count()).toBe(1);
  });

  test('a key with several mutation fields, and an invalid key, are refused', async () => {
    const several = `mutation { a: deleteEntry(channel: "articles", id: "x") b: deleteEntry(channel: "articles", id: "y") }`;
    for (const [key, query] of [
      ['k', several],
      ['no key', create('One')],
    ] as const) {
      const { status, errors } = await ask(key, query);
      expect([status, errors?.[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    }
    expect(await count()).toBe(0);
  });

  test('a refused operation can be sent again with its key', async () => {
    const query = 'mutation { deleteEntry(channel: "articles", id: "one") }';
    expect((await ask('k', query)).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    await scene.master.rest('POST', '/channels/articles/entries', { body: { slug: 'one' } });
    expectData(await ask('k', query));
    const unique =
      'mutation { updateChannel(id: "articles", input: { fields: [{ name: "n", type: INTEGER, unique: true }] }) { id } }';
    for (const n of [1, 1]) await scene.master.rest('POST', '/channels/articles/entries', { body: { n } });
    expect((await ask('u', unique)).errors?.[0]?.extensions.code).toBe('CONFLICT');
    expectData(await scene.master.gql('mutation { deleteChannel(id: "articles", confirm: "articles") }'));
  });

  test('a key of a caller without rights is not stored', async () => {
    const { errors } = await ask('k', 'mutation { createChannel(input: { id: "x" }) { id } }', {}, scene.visitor);
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect(await app.database.prisma.idempotencyKey.count({ where: { siteId: scene.site.id } })).toBe(0);
  });
});

test('a query may have an Idempotency-Key', async () => {
  expect(expectData(await ask('k', '{ channels { id } a: channels { id } }'))).toMatchObject({
    channels: [{ id: 'articles' }],
  });
});
