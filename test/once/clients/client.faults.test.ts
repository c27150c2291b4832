// What the client of clients/typescript does where the service is busy, away or slow: it repeats what does no harm, as long as it
// was told, and gives up with the one error.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createClient, EntrywayError, type Client, type ClientOptions } from '../../../clients/typescript/src/index.ts';

interface Got {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly key: string | undefined;
}

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let url: string;
/** The requests that came. */
let got: Got[];
/** The answers, one after the other; the last one is repeated. */
let answers: Answering[];

beforeEach(async () => {
  got = [];
  server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    got.push({ method, url: path, key: headers['idempotency-key']?.toString() });
    request.resume();
    const answering = answers.length > 1 ? answers.shift() : answers[0];
    request.once('end', () => answering?.(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const client = (options: Partial<ClientOptions> = {}): Client =>
  createClient({ url, token: 'ew_public_x', ...options });

const answer =
  (status: number, headers: Record<string, string> = {}, body: unknown = {}): Answering =>
  (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const entry = answer(200, { ETag: '"3.abc"' }, { id: 'a' });
const cut: Answering = ({ socket }) => void socket.destroy();
const never: Answering = () => undefined;

async function failure(call: Promise<unknown>): Promise<EntrywayError> {
  const error = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(EntrywayError);
  return error as EntrywayError;
}

test.each([429, 502, 503, 504])('the client repeats a %i, a create with the same key', async (status) => {
  answers = [answer(status, { 'Retry-After': '0' }), answer(status), entry];
  const created = await client().channel('films').create({ title: 'Alien' });
  expect(created).toEqual({ id: 'a', _version: 3 });
  expect(got).toHaveLength(3);
  expect(new Set(got.map(({ key }) => key)).size).toBe(1);
  expect(got[0]?.key).toMatch(/^[0-9a-f]{32}$/);
});

test('the client repeats a request after a cut connection or answer', async () => {
  const half: Answering = ({ socket }, response) => {
    response.writeHead(200, { 'Content-Length': '100' }).write('{"id":');
    setImmediate(() => socket.destroy());
  };
  answers = [cut, half, entry];
  expect(await client().channel('films').get('a')).toEqual({ id: 'a', _version: 3 });
  answers = [cut, entry];
  await client().channel('films').update('a', {}, { idempotencyKey: 'mine' });
  expect(got.map(({ method, key }) => [method, key])).toEqual([
    ...Array.from({ length: 3 }, () => ['GET', undefined]),
    ...Array.from({ length: 2 }, () => ['PATCH', 'mine']),
  ]);
});

test('the client repeats a 409 only if an earlier request with the key is under way', async () => {
  const problem = { code: 'conflict', detail: 'The slug is taken.' };
  answers = [answer(409, { 'Retry-After': '0' }, problem), entry];
  await client().channel('films').create({});
  expect(got).toHaveLength(2);
  answers = [answer(409, {}, problem)];
  expect(await failure(client().channel('films').create({}))).toMatchObject({ status: 409, message: problem.detail });
  expect(got).toHaveLength(3);
});

test.each([400, 401, 403, 404, 412, 422, 500])('the client does not repeat a %i', async (status) => {
  answers = [answer(status, { 'X-Request-Id': 'r1' }, { code: 'some_code', detail: 'It is so.', request_id: 'r2' })];
  const error = await failure(client().channel('films').create({}));
  expect(error).toMatchObject({ status, code: 'some_code', message: 'It is so.', requestId: 'r2', errors: [] });
  expect(got).toHaveLength(1);
});

test('the client limits the number of repetitions, and the wait for Retry-After', async () => {
  answers = [answer(503, { 'Retry-After': '0', 'X-Request-Id': 'r1' }, 'Bad gateway')];
  const gone = await failure(client({ retries: 2 }).channel('films').get('a'));
  expect(gone).toMatchObject({ status: 503, code: 'unexpected', requestId: 'r1', problem: null });
  expect(got).toHaveLength(3);
  answers = [answer(429, { 'Retry-After': '31' })];
  const busy = await failure(client().channel('films').get('a'));
  expect([busy.status, busy.retryAfter]).toEqual([429, 31_000]);
  expect(got).toHaveLength(4);
  answers = [answer(503, { 'Retry-After': 'soon' })];
  expect((await failure(client({ retries: 0 }).channel('films').get('a'))).retryAfter).toBeNull();
});

test('the client treats an answer that does not come as lost', async () => {
  answers = [never, entry];
  expect(await client({ timeout: 200 }).channel('films').get('a')).toMatchObject({ _version: 3 });
  answers = [never];
  const lost = await failure(client({ timeout: 50, retries: 1 }).channel('films').get('a'));
  expect(lost).toMatchObject({ status: 0, code: 'unreachable', message: expect.stringContaining('within 50 ms') });
});

test('the client reports a service that is unreachable, and one that is another program', async () => {
  const nowhere = client({ url: 'http://127.0.0.1:1', retries: 0 });
  const away = await failure(nowhere.channel('films').get('a'));
  expect(away).toMatchObject({ status: 0, code: 'unreachable', message: expect.stringContaining('127.0.0.1:1') });
  expect(away.cause).toMatchObject({ message: 'fetch failed' });
  answers = [(_request, response) => void response.end('<html>')];
  expect(await failure(client().channel('films').get('a'))).toMatchObject({ code: 'unexpected' });
});

test('the signal ends a running request of the client, and its pause before another', async () => {
  for (const answering of [never, answer(503, { 'Retry-After': '20' })]) {
    answers = [answering];
    const controller = new AbortController();
    const call = client().channel('films').get('a', { signal: controller.signal });
    const before = got.length;
    const asked = (async () => {
      while (got.length === before) await new Promise(setImmediate);
      controller.abort(new Error('over'));
    })();
    await expect(call).rejects.toThrow('over');
    await asked;
  }
});

test('the client’s feed continues from its cursor after an outage, with pauses between attempts', async () => {
  const page = (cursor: string, ids: readonly string[]): Answering =>
    answer(200, {}, { changes: ids.map((id) => ({ id, cursor: id })), cursor, more: false });
  answers = [page('c1', ['a']), cut, answer(503, { 'Retry-After': '0' }), page('c2', []), page('c3', ['b']), never];
  const controller = new AbortController();
  const told: (string | null)[] = [];
  const begun = performance.now();
  const reading = (async () => {
    for await (const { id } of client().changes({ after: 'c0', signal: controller.signal })) {
      told.push(id);
      if (told.length === 2) controller.abort(new Error('over'));
    }
  })();
  await expect(reading).rejects.toThrow('over');
  expect(told).toEqual(['a', 'b']);
  expect(got.map((each) => new URL(each.url ?? '', url).searchParams.get('after'))).toEqual([
    'c0',
    'c1',
    'c1',
    'c1',
    'c2',
  ]);
  // The empty answer came at once.
  expect(performance.now() - begun).toBeGreaterThan(900);
});

test('the client handles addresses with a path, non-ASCII names, and the caller’s own fetch', async () => {
  answers = [entry];
  const asked: string[] = [];
  const own: typeof fetch = (input, init) => {
    asked.push(input instanceof Request ? input.url : input.toString());
    return fetch(input, init);
  };
  await client({ url: `${url}/content/`, fetch: own, useAcl: true })
    .channel('a/b')
    .get('c?d');
  expect(asked).toEqual([`${url}/content/channels/a%2Fb/entries/c%3Fd?use_acl=true`]);
});
