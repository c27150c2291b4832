// Request bodies that cannot be understood, or are more than they seem, at each REST operation that takes one: 400, 413,
// 415 (docs/contract.md §5).
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { buildOne, suiteApp } from '../../support/scene.ts';
import { words } from '../../support/words.ts';
import { send, type RestAnswer } from '../../support/as.ts';
import { expectEntry } from '../../support/expect.ts';
import { expectRestRefused } from '../../support/refused.ts';

type Headers = Record<string, string | string[]>;
/** What is sent, the status, the code. */
type Row = [what: string, body: () => string | Buffer, headers: Headers, status: number, code: string];

const list = '/channels/articles/entries';
const one = `${list}/one`;
const operations = [
  ['POST', list],
  ['PUT', one],
  ['PATCH', one],
] as const;
const mebibyte = 1024 * 1024;

const app = await suiteApp();
const { site, master } = await buildOne(app, { data: { title: 'One' } });

const json = { 'Content-Type': 'application/json' };
const chunked = { ...json, 'Transfer-Encoding': 'chunked' };
const packed = (coding: string): Headers => ({ ...json, 'Content-Encoding': coding });
const unread = [400, 'bad_request'] as const;
const large = [413, 'payload_too_large'] as const;
const other = [415, 'unsupported_media_type'] as const;
const good = '{"title": "x"}';

/** A body of so many bytes. */
function bodyOf(bytes: number): string {
  return `{"title": "${'x'.repeat(bytes - '{"title": ""}'.length)}"}`;
}

function nested(depth: number, open = '[', end = ']'): string {
  return `{"a": ${open.repeat(depth)}${open === '[' ? '' : '1'}${end.repeat(depth)}}`;
}

/** A text with bytes in it that are no UTF-8. */
function bytes(...values: number[]): Buffer {
  return Buffer.from([...Buffer.from('{"title": "'), ...values, ...Buffer.from('"}')]);
}

const texts: [what: string, body: string][] = [
  ['nothing', ''],
  ['blanks', ' \r\n\t'],
  ['null', 'null'],
  ['an array', '[]'],
  ['an array of an object', `[${good}]`],
  ['a string', '"x"'],
  ['a number', '1'],
  ['true', 'true'],
  ['cut off', '{"title": "x'],
  ['cut off in an escape', '{"title": "\\u00'],
  ['a brace alone', '{'],
  ['followed by something', `${good} {}`],
  ['followed by a comma', `${good},`],
  ['followed by a NUL', `${good}\0`],
  ['a comma too many', '{"title": "x",}'],
  ['single quotes', "{'title': 'x'}"],
  ['a name without quotes', '{title: "x"}'],
  ['a comment', '{"title": "x" /* y */}'],
  ['NaN', '{"n": NaN}'],
  ['Infinity', '{"n": Infinity}'],
  ['undefined', '{"n": undefined}'],
  ['hex', '{"n": 0x10}'],
  ['a leading zero', '{"n": 01}'],
  ['a leading plus', '{"n": +1}'],
  ['a line end in a string', '{"title": "a\nb"}'],
  ['XML', '<title>x</title>'],
  ['a form', 'title=x'],
  ['a NUL in a value', '{"title": "a\\u0000b"}'],
  ['a NUL deep inside', '{"a": {"b": [1, "\\u0000"]}}'],
  ['a NUL in a name', '{"a\\u0000b": 1}'],
  ['a NUL in a name deep inside', '{"a": {"b\\u0000": 1}}'],
  ['a NUL in a slug', '{"slug": "a\\u0000"}'],
  ['a NUL in an owner', '{"_owner": "\\u0000"}'],
  ['a NUL in a status', '{"_status": "draft\\u0000"}'],
  ['a NUL in an actor key', '{"_acl": {"a\\u0000": {"read": true}}}'],
  ['a NUL in what is ignored', '{"id": "\\u0000"}'],
  ['a high surrogate alone', '{"title": "\\ud800"}'],
  ['a low surrogate alone', '{"title": "\\udc00x"}'],
  ['surrogates the wrong way round', '{"title": "\\udc00\\ud800"}'],
  ['a surrogate alone in a name', '{"\\ud800": 1}'],
  ['arrays 101 levels deep', nested(101)],
  ['arrays 10,000 levels deep', nested(10_000)],
  ['arrays 250,000 levels deep', nested(250_000)],
  ['objects 10,000 levels deep', nested(10_000, '{"a":', '}')],
  ['an access list 10,000 levels deep', nested(10_000).replace('"a"', '"_acl"')],
  ['arrays 250,000 levels deep that never end', `{"a": ${'['.repeat(250_000)}`],
];

const rows: Row[] = [
  ...texts.map(([what, body]): Row => [what, () => body, json, ...unread]),
  ['nothing, in chunks', () => '', chunked, ...unread],
  ['a broken sequence of UTF-8', () => bytes(0xc3, 0x28), json, ...unread],
  ['an overlong slash', () => bytes(0xc0, 0xaf), json, ...unread],
  ['an encoded surrogate', () => bytes(0xed, 0xa0, 0x80), json, ...unread],
  ['a byte that UTF-8 does not have', () => bytes(0xff), json, ...unread],
  ['UTF-16', () => Buffer.from(good, 'utf16le'), json, ...unread],

  ['one byte more than 1 MiB', () => bodyOf(mebibyte + 1), json, ...large],
  ['10 MiB', () => bodyOf(10 * mebibyte), json, ...large],
  ['1 MiB and a byte, in chunks without a length', () => bodyOf(mebibyte + 1), chunked, ...large],
  ['gzip that unpacks to a byte too many', () => gzipSync(bodyOf(mebibyte + 1)), packed('gzip'), ...large],
  ['gzip of 100 MiB of blanks', () => gzipSync(Buffer.alloc(100 * mebibyte, 32)), packed('gzip'), ...large],
  ['deflate of 100 MiB of blanks', () => deflateSync(Buffer.alloc(100 * mebibyte, 32)), packed('deflate'), ...large],
  ['Brotli of 100 MiB of blanks', () => brotli(Buffer.alloc(100 * mebibyte, 32)), packed('br'), ...large],
  [
    'gzip with 2 MiB behind it',
    () => Buffer.concat([gzipSync(good), Buffer.alloc(2 * mebibyte, 'x')]),
    packed('gzip'),
    ...unread,
  ],

  ['what is no gzip', () => good, packed('gzip'), ...unread],
  ['gzip that is cut off', () => gzipSync(bodyOf(1000)).subarray(0, 20), packed('gzip'), ...unread],
  ['gzip with another checksum', () => corrupted(gzipSync(good)), packed('gzip'), ...unread],
  ['gzip with something behind it', () => Buffer.concat([gzipSync(good), Buffer.from('x')]), packed('gzip'), ...unread],
  ['gzip of nothing', () => gzipSync(''), packed('gzip'), ...unread],
  ['gzip of what is no JSON', () => gzipSync('{'), packed('gzip'), ...unread],
  ['an encoding that there is not', () => good, packed('rot13'), ...other],
  ['zstd', () => good, packed('zstd'), ...other],
  ['gzip in gzip', () => gzipSync(gzipSync(good)), packed('gzip, gzip'), ...other],
  ['gzip ten times', () => good, packed(Array(10).fill('gzip').join(', ')), ...other],

  ['no type', () => good, {}, ...other],
  ['an empty type', () => good, { 'Content-Type': '' }, ...other],
  ['two types', () => good, { 'Content-Type': ['application/json', 'text/plain'] }, ...other],
  ['twice the same type', () => good, { 'Content-Type': ['application/json', 'application/json'] }, ...other],
  ...[
    ...words('text/plain text/json application/x-www-form-urlencoded text/html application/xml application/jsonx'),
    ...words('application/json-patch+json application/ld+json application/* */* json __proto__'),
    ...words('utf-16 iso-8859-1 utf-7 x __proto__').map((set) => `application/json; charset=${set}`),
    ...['multipart/form-data; boundary=x', 'application/json, text/plain'],
  ].map((type): Row => [type, () => good, { 'Content-Type': type }, ...other]),
];

function brotli(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
}

function corrupted(packed: Buffer): Buffer {
  const copy = Buffer.from(packed);
  copy[copy.length - 5] = (copy[copy.length - 5] ?? 0) ^ 1;
  return copy;
}

/** What each operation answers. */
async function sendToAll(body: string | Buffer, headers: Headers): Promise<RestAnswer<unknown>[]> {
  const answers: RestAnswer<unknown>[] = [];
  for (const [method, path] of operations) {
    const all = { Authorization: `Bearer ${site.master}`, ...headers };
    answers.push(await send(app, method, path, { headers: all, body }));
  }
  return answers;
}

describe('refused, and nothing stored', () => {
  test.each(rows)('a hostile body is refused, and stores nothing: %s', async (_what, body, headers, status, code) => {
    for (const answer of await sendToAll(body(), headers)) expectRestRefused(answer, status, code);
    expect((await master.rest('GET', `${list}/count`)).body).toEqual({ count: 1 });
    expect(expectEntry(await master.rest('GET', one))['title']).toBe('One');
  });

  test('a refusal does not repeat the body', async () => {
    for (const { text } of await sendToAll('{"secret-word-42', json)) expect(text).not.toContain('secret-word');
  });

  test('the rest of a body that is refused for its size is not read as a request', async () => {
    const smuggled = `DELETE ${one} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${site.master}\r\n\r\n`;
    for (const answer of await sendToAll(bodyOf(mebibyte + 1) + smuggled.repeat(3), json)) {
      expectRestRefused(answer, ...large);
    }
    expect((await master.rest('GET', one)).status).toBe(200);
  });
});
