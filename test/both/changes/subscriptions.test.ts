// Subscriptions (docs/contract.md §9.2): GraphQL over Server-Sent Events, read by the client of graphql-sse.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createClient } from 'graphql-sse';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Credentials } from '../../support/as.ts';
import { buildToken } from '../../support/build.ts';
import { openEvents } from '../../support/eventStream.ts';
import { expectEntry } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off', STREAMS_PER_TOKEN: '2' });
const path = '/channels/articles/entries';
const document = `subscription ($after: String, $channel: ID) { changes(after: $after, channel: $channel) {
  cursor type channel id version entry { titleFieldValue } } }`;

interface Change {
  cursor: string;
  type: string;
  id: string | null;
  entry: { titleFieldValue: string } | null;
}
interface Result {
  data?: { changes: Change | null } | null;
  errors?: readonly { message: string; extensions?: Record<string, unknown> }[];
}

/** Subscribes, with the library's own client. */
function iterate(
  { token = '', session }: Credentials,
  { query = document, variables = {}, at = app }: { query?: string; variables?: object; at?: TestApp } = {},
): AsyncIterableIterator<Result> {
  const client = createClient({
    url: `${at.url}/graphql/stream`,
    headers: { Authorization: `Bearer ${token}`, ...(session !== undefined && { 'Session-Token': session }) },
    retryAttempts: 0,
  });
  return client.iterate({ query, variables: { ...variables } }) as AsyncIterableIterator<Result>;
}

async function take(results: AsyncIterableIterator<Result>, count: number): Promise<Result[]> {
  const taken: Result[] = [];
  while (taken.length < count) {
    const { value, done } = (await results.next()) as IteratorResult<Result, undefined>;
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

async function create({ master }: Scene, body: Record<string, unknown>): Promise<string> {
  return expectEntry(await master.rest('POST', path, { body }), 201).id;
}

describe('a subscription', () => {
  test('a subscription gets the kept changes, then new ones, each as one result', async () => {
    const scene = await buildScene(app);
    const first = await create(scene, { title: 'Before' });
    const results = iterate({ token: scene.site.master });
    const [channel, created] = await take(results, 2);
    expect(channel?.data?.changes).toMatchObject({ type: 'channel.created', id: null, entry: null });
    expect(created?.data?.changes).toMatchObject({ id: first, version: 1, entry: { titleFieldValue: 'Before' } });
    const second = await create(scene, { title: 'After' });
    const [next] = await take(results, 1);
    expect(next).toEqual({ data: { changes: expect.objectContaining({ type: 'entry.created', id: second }) } });
    await results.return?.();
    const resumed = iterate({ token: scene.site.master }, { variables: { after: created?.data?.changes?.cursor } });
    expect(await take(resumed, 1)).toEqual([next]);
    await resumed.return?.();
  });

  test('a subscription gets only visible changes', async () => {
    const scene = await buildScene(app, { publishable: true, readScope: 'public' });
    const results = iterate({ token: scene.site.public }, { variables: { channel: 'articles' } });
    await create(scene, { title: 'Draft' });
    const id = await create(scene, { title: 'Open', _status: 'published' });
    expect((await take(results, 1))[0]?.data?.changes).toMatchObject({ id, entry: { titleFieldValue: 'Open' } });
    await results.return?.();
  });

  test('a subscription may have directives, aliases and fragments', async () => {
    const scene = await buildScene(app);
    const query = `subscription ($no: Boolean!) { it: changes(types: ["channel.created"]) @skip(if: false) {
      ...on Change { type @include(if: true) } cursor @include(if: $no) ... @skip(if: true) { id } } }`;
    const results = iterate({ token: scene.site.master }, { query, variables: { no: false } });
    expect(await take(results, 1)).toEqual([{ data: { it: { type: 'channel.created' } } }]);
    await results.return?.();
  });

  test('a subscription ends within a second after its token does, with the reason, and is complete', async () => {
    const scene = await buildScene(app);
    const { db, site } = scene;
    const { token, id } = await buildToken(db, { kind: 'public', siteId: site.id });
    const results = iterate({ token }, { variables: { after: 'now' } });
    const next = take(results, 2);
    await sleep(300);
    await db.token.update({ where: { id }, data: { revokedAt: new Date() } });
    const begun = performance.now();
    const taken = await next;
    expect(performance.now() - begun).toBeLessThan(1_500);
    expect(taken).toHaveLength(1);
    expect(taken[0]?.errors?.[0]?.extensions).toMatchObject({
      code: 'UNAUTHENTICATED',
      requestId: expect.any(String) as unknown,
    });
  });

  test('a subscription ends with the service, and is not complete: a client reconnects', async () => {
    const other = await startApp({ RATE_LIMIT: 'off' });
    const { site } = await buildScene(other);
    const results = iterate({ token: site.master }, { variables: { after: 'now' }, at: other });
    const next = take(results, 1).catch((error: unknown) => error);
    await sleep(300);
    await other.close();
    expect(await next).toBeInstanceOf(Error);
  });
});

describe('what is refused', () => {
  test.each([
    ['a cursor', 'subscription { changes(after: "nonsense") { type } }', 'BAD_USER_INPUT'],
    ['a channel', 'subscription { changes(channel: "nowhere") { type } }', 'NOT_FOUND'],
    ['a type', 'subscription { changes(types: ["x"]) { type } }', 'BAD_USER_INPUT'],
    ['a field', 'subscription { changes { nothing } }', 'GRAPHQL_VALIDATION_FAILED'],
    ['two fields', 'subscription { a: changes { type } b: changes { type } }', 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a field by a variable',
      'subscription ($on: Boolean! = true) { changes @include(if: $on) { type } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['no field', 'subscription { changes @skip(if: true) { type } }', 'BAD_USER_INPUT'],
    ['a document', 'subscription {', 'GRAPHQL_PARSE_FAILED'],
  ])('a subscription refused for %s: one result with the error', async (_what, query, code) => {
    const scene = await buildScene(app);
    const taken = await take(iterate({ token: scene.site.master }, { query }), 2);
    expect(taken).toHaveLength(1);
    expect(taken[0]?.errors?.[0]?.extensions).toMatchObject({ code });
  });

  test('a subscription beyond the caller’s limit is refused', async () => {
    const scene = await buildScene(app);
    const open = [];
    for (let at = 0; at < 2; at += 1) open.push(iterate({ token: scene.site.master }));
    for (const results of open) await take(results, 1);
    const [refused] = await take(iterate({ token: scene.site.master }), 1);
    expect(refused?.errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED' });
    for (const results of open) await results.return?.();
  });

  test('a subscription without rights is refused with its HTTP status', async () => {
    await expect(take(iterate({ token: 'ew_master_x' }), 1)).rejects.toThrow('401');
  });

  test('a subscription at /graphql is refused', async () => {
    const scene = await buildScene(app);
    const { status, errors } = await scene.master.gql('subscription { changes { type } }');
    expect(status).toBe(400);
    expect(errors?.[0]?.message).toContain('POST /graphql/stream');
  });

  test.each(['GET', 'PUT', 'DELETE'])('a subscription by %s: 405', async (method) => {
    const scene = await buildScene(app);
    const { status, headers } = await scene.master.rest(method, '/graphql/stream');
    expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  test('a subscription without Accept: text/event-stream: 400', async () => {
    const scene = await buildScene(app);
    const options = { path: '/graphql/stream', headers: { Accept: 'application/json' } };
    const { status, errors } = await scene.master.gql('{ channels { id } }', {}, options);
    expect([status, errors?.[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
  });
});

describe('queries and mutations', () => {
  test('queries and mutations at the stream path are streams of one result', async () => {
    const scene = await buildScene(app);
    const query = iterate({ token: scene.site.master }, { query: '{ channels { id } }' });
    expect(await take(query, 2)).toEqual([{ data: { channels: [{ id: 'articles' }] } }]);
    const mutation = 'mutation { createEntry(channel: "articles", input: { fields: { title: "New" } }) { version } }';
    expect(await take(iterate({ token: scene.site.master }, { query: mutation }), 2)).toEqual([
      { data: { createEntry: { version: 1 } } },
    ]);
  });

  test('a stream has the headers of every other answer', async () => {
    const scene = await buildScene(app);
    const reader = await openEvents(app, '/graphql/stream', { token: scene.site.master }, {}, 'POST', {
      query: 'subscription { changes { type } }',
    });
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(await reader.take(1)).toEqual([
      { event: 'next', data: JSON.stringify({ data: { changes: { type: 'channel.created' } } }) },
    ]);
    expect((await as(app, {}).rest('OPTIONS', '/graphql/stream')).headers.get('allow')).toBe('POST, OPTIONS');
    reader.close();
  });
});
