// Request bodies that cannot be understood: 400, 413, 415 (contract §5).
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { as, send, type RestAnswer } from '../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../support/build.ts';
import { expectEntry, expectProblem } from '../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const collection = '/channels/articles/entries';
const mebibyte = 1024 * 1024;

/** Sends a body as it is to each operation that takes one, on a site that has the entry `one`. */
async function sendToAll(
  body: string | Buffer,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
): Promise<RestAnswer<Record<string, unknown>>[]> {
  const site = await buildSite(app.database.prisma);
  await buildEntry(app.database.prisma, await buildChannel(app.database.prisma, site.id, { id: 'articles' }), {
    slug: 'one',
    data: { title: 'One' },
  });
  const operations = [
    ['POST', collection],
    ['PUT', `${collection}/one`],
    ['PATCH', `${collection}/one`],
  ] as const;
  const answers: RestAnswer<Record<string, unknown>>[] = [];
  for (const [method, path] of operations) {
    const all = { Authorization: `Bearer ${site.master}`, ...headers };
    answers.push(await send(app, method, path, { headers: all, body }));
  }
  const untouched = await as(app, { token: site.master }).rest('GET', `${collection}/one`);
  expect(answers.some(({ status }) => status < 400) || expectEntry(untouched)['title'] === 'One').toBe(true);
  return answers;
}

describe('invalid: 400', () => {
  test.each([
    ['nothing', ''],
    ['null', 'null'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['a number', '1'],
    ['true', 'true'],
    ['cut off', '{"title": "x'],
    ['followed by something', '{"title": "x"} {}'],
    ['single quotes', "{'title': 'x'}"],
    ['a comment', '{"title": "x" /* y */}'],
    ['a NUL in a value', '{"title": "a\\u0000b"}'],
    ['a NUL deep inside', '{"a": {"b": [1, "\\u0000"]}}'],
    ['a NUL in a name', '{"a\\u0000b": 1}'],
    ['a NUL in a name deep inside', '{"a": {"b\\u0000": 1}}'],
    ['a NUL in a slug', '{"slug": "a\\u0000"}'],
    ['a NUL in an owner', '{"_owner": "\\u0000"}'],
    ['a NUL in an actor key', '{"_acl": {"a\\u0000": {"read": true}}}'],
    ['a high surrogate alone', '{"title": "\\ud800"}'],
    ['a low surrogate alone', '{"title": "\\udc00x"}'],
    ['surrogates the wrong way round', '{"title": "\\udc00\\ud800"}'],
    ['a surrogate alone in a name', '{"\\ud800": 1}'],
    ['nested 10,000 levels deep', `{"a": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
  ])('%s', async (_name, body) => {
    for (const answer of await sendToAll(body)) expectProblem(answer, 'bad_request');
  });

  test('nothing, in chunks', async () => {
    const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    for (const answer of await sendToAll('', headers)) expectProblem(answer, 'bad_request');
  });

  test('text that is not UTF-8', async () => {
    const body = Buffer.from([...Buffer.from('{"title": "'), 0xc3, 0x28, ...Buffer.from('"}')]);
    for (const answer of await sendToAll(body)) expectProblem(answer, 'bad_request');
  });

  test('what was sent does not come back in the refusal', async () => {
    for (const { text } of await sendToAll('{"secret-word-42')) expect(text).not.toContain('secret-word');
  });
});

describe('invalid: 413', () => {
  const bodyOf = (bytes: number): string => `{"title": "${'x'.repeat(bytes - '{"title": ""}'.length)}"}`;

  test('a body of one byte more than 1 MiB', async () => {
    for (const answer of await sendToAll(bodyOf(mebibyte + 1))) expectProblem(answer, 'payload_too_large');
  });

  test('one that only unpacks to more', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    for (const answer of await sendToAll(gzipSync(bodyOf(mebibyte + 1)), headers)) {
      expectProblem(answer, 'payload_too_large');
    }
  });

  test('one that is sent in chunks, without its length', async () => {
    const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
    for (const answer of await sendToAll(bodyOf(mebibyte + 1), headers)) expectProblem(answer, 'payload_too_large');
  });
});

describe('invalid: 415', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/html',
    'application/xml',
    'application/jsonx',
    'application/json-patch+json',
    'json',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
  ])('Content-Type: %s', async (type) => {
    for (const answer of await sendToAll('{"title": "x"}', { 'Content-Type': type })) {
      expectProblem(answer, 'unsupported_media_type');
    }
  });

  test('no Content-Type', async () => {
    for (const answer of await sendToAll('{"title": "x"}', {})) expectProblem(answer, 'unsupported_media_type');
  });

  test('an encoding that there is not', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'rot13' };
    for (const answer of await sendToAll('{"title": "x"}', headers)) expectProblem(answer, 'unsupported_media_type');
  });
});

describe('allowed', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/json ;',
  ])('Content-Type: %s', async (type) => {
    const answers = await sendToAll('{"title": "Löwe 🦁"}', { 'Content-Type': type });
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200]);
    for (const { body } of answers) expect(body['title']).toBe('Löwe 🦁');
  });

  test('a compressed body', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const answers = await sendToAll(gzipSync('{"title": "x"}'), headers);
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200]);
  });

  test('a body of exactly 1 MiB', async () => {
    const body = `{"text": "${'x'.repeat(mebibyte - '{"text": ""}'.length)}"}`;
    const answers = await sendToAll(body);
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200]);
  });

  test('of two members of one name the last one counts', async () => {
    for (const { body } of await sendToAll('{"title": "a", "year": 1, "year": 2, "title": "b"}')) {
      expect(body).toMatchObject({ title: 'b', year: 2 });
    }
  });

  test('GET and DELETE take no body, and ignore one', async () => {
    const site = await buildSite(app.database.prisma);
    const channel = await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    await buildEntry(app.database.prisma, channel, { slug: 'one' });
    const headers = { Authorization: `Bearer ${site.master}`, 'Content-Type': 'text/plain', 'Content-Length': '1' };
    expect((await send(app, 'GET', `${collection}/one`, { headers, body: '{' })).status).toBe(200);
    expect((await send(app, 'DELETE', `${collection}/one`, { headers, body: '{' })).status).toBe(204);
  });
});
