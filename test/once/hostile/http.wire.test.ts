// Bytes that are no request, or two requests to whoever reads them otherwise (RFC 9112 §2.2, §3.2, §5.2, §6.1, §7.1):
// refused, the connection closed, nothing done, and the service lives.
import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { guardWire, wireOptions } from '../../../src/http/wire.ts';
import { createLog } from '../../../src/base/log.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';
import { as } from '../../support/as.ts';
import { buildCustomer } from '../../support/build.ts';
import { expectRestRefused } from '../../support/refused.ts';
import { exchange } from '../../support/wire.ts';

const list = '/channels/articles/entries';
const one = `${list}/one`;

const app = await suiteApp();
const { db, site } = await buildOne(app, {}, { readScope: 'shared' });
const { id: siteId, master, public: visitor } = site;
const { session } = await buildCustomer(db, siteId);
afterEach(async () => {
  const count = await as(app, { token: master }).rest('GET', `${list}/count`);
  expect([count.status, count.body, (await as(app).rest('GET', '/livez')).status]).toEqual([200, { count: 1 }, 200]);
});

/** Lines, each ended as HTTP wants it; then the body. */
function message(lines: string[], body = ''): string {
  return [...lines, '', body].join('\r\n');
}

/** A create with these lines about its body, which holds a delete, too, for whoever finds it behind the body. */
function create(framing: string[], body: string): string {
  const lines = [
    `POST ${list} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${master}`,
    'Content-Type: application/json',
  ];
  return message([...lines, ...framing], body) + remove();
}

function remove(): string {
  return message([`DELETE ${one} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${master}`, '']);
}

/** A fetch with other lines than these. */
function get(...lines: string[]): string {
  return message([`GET ${one} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${master}`, ...lines, '']);
}

/** A request line alone is another. */
function ask(line: string, ...lines: string[]): string {
  return message([line, 'Host: x', `Authorization: Bearer ${master}`, ...lines, '']);
}

const chunks = '2\r\n{}\r\n0\r\n\r\n';
const chunked = 'Transfer-Encoding: chunked';
const bad = [400, 'bad_request'] as const;

const rows: [what: string, bytes: () => string | Buffer, status: number, code: string][] = [
  ['Content-Length, then Transfer-Encoding', () => create(['Content-Length: 2', chunked], chunks), ...bad],
  ['Transfer-Encoding, then Content-Length', () => create([chunked, 'Content-Length: 2'], chunks), ...bad],
  ['Content-Length of a body, with chunks', () => create([chunked, 'Content-Length: 12'], chunks), ...bad],
  ['two Content-Lengths', () => create(['Content-Length: 2', 'Content-Length: 3'], '{}'), ...bad],
  ['twice the same Content-Length', () => create(['Content-Length: 2', 'Content-Length: 2'], '{}'), ...bad],
  ['a list of Content-Lengths', () => create(['Content-Length: 2, 2'], '{}'), ...bad],
  ['a negative Content-Length', () => create(['Content-Length: -2'], '{}'), ...bad],
  ['a Content-Length with a plus', () => create(['Content-Length: +2'], '{}'), ...bad],
  ['a Content-Length in hex', () => create(['Content-Length: 0x2'], '{}'), ...bad],
  ['a Content-Length beyond numbers', () => create([`Content-Length: ${'9'.repeat(30)}`], '{}'), ...bad],
  ['an empty Content-Length', () => create(['Content-Length:'], '{}'), ...bad],
  ['identity', () => create(['Transfer-Encoding: identity'], '{}'), ...bad],
  ['xchunked', () => create(['Transfer-Encoding: xchunked'], chunks), ...bad],
  ['gzip, chunked', () => create(['Transfer-Encoding: gzip, chunked'], chunks), ...bad],
  ['chunked, identity', () => create(['Transfer-Encoding: chunked, identity'], chunks), ...bad],
  ['chunked twice', () => create([chunked, chunked], chunks), ...bad],
  ['chunked, then identity', () => create([chunked, 'Transfer-Encoding: identity'], chunks), ...bad],
  ['an empty coding, chunked', () => create(['Transfer-Encoding: , chunked'], chunks), ...bad],
  ['a vertical tab, chunked', () => create(['Transfer-Encoding: \x0bchunked'], chunks), ...bad],
  ['a space before the colon', () => create(['Transfer-Encoding : chunked'], chunks), ...bad],
  ['chunked by HTTP/1.0', () => create([chunked], chunks).replace('HTTP/1.1', 'HTTP/1.0'), ...bad],
  ['a chunk size that is no number', () => create([chunked], 'zz\r\n{}\r\n0\r\n\r\n'), ...bad],
  ['a negative chunk size', () => create([chunked], '-2\r\n{}\r\n0\r\n\r\n'), ...bad],
  ['a chunk size in 0x', () => create([chunked], '0x2\r\n{}\r\n0\r\n\r\n'), ...bad],
  ['a chunk size beyond numbers', () => create([chunked], `${'f'.repeat(17)}\r\n{}\r\n0\r\n\r\n`), ...bad],
  ['a chunk longer than it says', () => create([chunked], '1\r\n{}\r\n0\r\n\r\n'), ...bad],
  ['chunks with bare line feeds', () => create([chunked], '2\n{}\n0\n\n'), ...bad],
  ['20 kB of chunk extensions', () => create([chunked], `2;${'x'.repeat(20_000)}\r\n{}\r\n`), 413, 'payload_too_large'],

  ['bare line feeds', () => get().replaceAll('\r\n', '\n'), ...bad],
  ['a bare line feed in a header', () => get('X-A: b\nX-B: c'), ...bad],
  ['a bare carriage return in a header', () => get('X-A: b\rX-B: c'), ...bad],
  ['a folded header', () => get('X-A: b\r\n c'), ...bad],
  [
    'a folded token',
    () => message([`GET ${one} HTTP/1.1`, 'Host: x', `Authorization: Bearer\r\n ${master}`, '']),
    ...bad,
  ],
  [
    'a NUL behind a token',
    () => message([`GET ${one} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${master}\0`, '']),
    ...bad,
  ],
  ['a NUL in a header', () => get('X-A: b\0c'), ...bad],
  ['a space in a header’s name', () => get('X A: b'), ...bad],
  ['a header without a name', () => get(': b'), ...bad],
  ['a line without a colon', () => get('X-A'), ...bad],
  ['a header of 20 kB', () => get(`X-A: ${'b'.repeat(20_000)}`), 431, 'bad_request'],
  ['10,000 headers', () => get(...Array<string>(10_000).fill('X-A: b')), 431, 'bad_request'],
  ['a path of 20 kB', () => ask(`GET /${'a'.repeat(20_000)} HTTP/1.1`), 431, 'bad_request'],

  ['no Host', () => message([`GET ${one} HTTP/1.1`, `Authorization: Bearer ${master}`, '']), ...bad],
  ['two Hosts', () => get('Host: y'), ...bad],
  ['twice the same Host', () => get('Host: x'), ...bad],
  ['a verb that HTTP does not have', () => ask(`BREW ${one} HTTP/1.1`), ...bad],
  ['a verb in small letters', () => ask(`get ${one} HTTP/1.1`), ...bad],
  ['HTTP/0.9', () => `GET ${one}\r\n\r\n`, ...bad],
  ['HTTP/1.2', () => ask(`GET ${one} HTTP/1.2`), ...bad],
  ['HTTP/2.0', () => ask(`GET ${one} HTTP/2.0`), ...bad],
  ['another protocol', () => ask(`GET ${one} HTPP/1.1`), ...bad],
  ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ...bad],
  ['TLS', () => Buffer.from('160301020001000001fc0303', 'hex'), ...bad],
  ['a space in the path', () => ask('GET /channels/a b/entries HTTP/1.1'), ...bad],
  ['a NUL in the path', () => ask('GET /channels/a\0b/entries HTTP/1.1'), ...bad],
  ['bytes beyond ASCII in the path', () => ask('GET /channels/ü/entries HTTP/1.1'), ...bad],
  ['backslashes', () => ask(`GET ${one.replaceAll('/', '\\')} HTTP/1.1`), ...bad],
  ['a fragment', () => ask(`GET ${one}#?use_acl=true HTTP/1.1`), ...bad],
  ['a whole URL for a target, with another host', () => ask(`GET http://evil.example${one} HTTP/1.1`), ...bad],
  ['a whole URL for a target, with a port', () => ask(`GET HTTP://x:80${one} HTTP/1.1`), ...bad],
  ['a whole URL for a target, with a user', () => ask(`GET http://x@evil.example${one} HTTP/1.1`), ...bad],
  ['an authority for a target', () => ask('GET evil.example:80 HTTP/1.1'), ...bad],
];

describe('refused', () => {
  test.each(rows)('a malformed HTTP message is refused: %s', async (_what, bytes, status, code) => {
    const { answer, answers, isClosed } = await exchange(app, bytes());
    expectRestRefused(answer, status, code);
    expect([answers, isClosed, answer.headers.get('connection')]).toEqual([1, true, 'close']);
    expect((await as(app, { token: master }).rest('GET', one)).status).toBe(200);
  });

  test.each<[what: string, bytes: () => string]>([
    ['a body shorter than its Content-Length', () => create(['Content-Length: 2000'], '{}')],
    ['chunks without an end', () => create([chunked], '2\r\n{}\r\n').slice(0, -remove().length)],
    ['half of the headers', () => get().slice(0, -4)],
    ['half of a request line', () => 'GET /chan'],
  ])('an unfinished message of a client that has closed its side is 400: %s', async (_what, bytes) => {
    const { answer, answers, isClosed } = await exchange(app, bytes(), true);
    expectRestRefused(answer, ...bad);
    expect([answers, isClosed]).toEqual([1, true]);
  });

  test('HEAD is refused without a body', async () => {
    for (const line of ['X-A: '.padEnd(20_000, 'b'), 'Host: y']) {
      const { answer, answers, isClosed } = await exchange(app, ask(`HEAD ${one} HTTP/1.1`, line));
      expect([answer.text, answers, isClosed]).toEqual(['', 1, true]);
      expect([400, 431]).toContain(answer.status);
    }
  });

  test('CONNECT closes the connection without an answer', async () => {
    const { answers, isClosed } = await exchange(app, ask('CONNECT evil.example:80 HTTP/1.1'));
    expect([answers, isClosed]).toEqual([0, true]);
  });

  test('a request that is not complete in time is 408', async () => {
    const timeouts = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 50 };
    const server = createServer({ ...timeouts, ...wireOptions });
    guardWire(server, (request, response) => request.resume().once('end', () => response.end()), {
      log: createLog('silent'),
      metrics: null,
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const slow = { url: `http://127.0.0.1:${port}` };
    try {
      for (const bytes of [get().slice(0, -4), 'GET /', create(['Content-Length: 2000'], '{').slice(0, 200)]) {
        const { answer, isClosed } = await exchange(slow, bytes);
        expectRestRefused(answer, 408, 'bad_request');
        expect(isClosed).toBe(true);
      }
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe('allowed', () => {
  const close = 'Connection: close';

  test.each<[what: string, bytes: () => string, status: number]>([
    ['a whole URL for a target', () => ask(`GET http://X${one} HTTP/1.1`, close), 200],
    ['an expectation that is not met', () => get('Expect: 200-maybe', close), 200],
    ['an upgrade that there is not', () => get('Upgrade: h2c', 'Connection: close, Upgrade', 'HTTP2-Settings: x'), 200],
    ['a header of 15 kB', () => get(`X-A: ${'b'.repeat(15_000)}`, close), 200],
    ['an empty Host, of which links can’t be made', () => get(close).replace('Host: x', 'Host:'), 400],
    ['HTTP/1.0', () => ask(`GET ${one} HTTP/1.0`), 200],
    [
      'HTTP/1.0 without a Host, where links can’t be made',
      () => ask(`GET ${one} HTTP/1.0`).replace('Host: x\r\n', ''),
      400,
    ],
    ['a token in a trailer, which is none', () => trailer(), 401],
  ])('an unusual HTTP message is answered: %s', async (_what, bytes, status) => {
    const { answer, answers, isClosed } = await exchange(app, bytes());
    expect([answer.status, answers, isClosed]).toEqual([status, 1, true]);
    expect(answer.text).not.toContain('evil.example');
  });

  test('a GET with a body is one request, even if the body looks like another', async () => {
    const inner = remove();
    const { answers } = await exchange(app, get(`Content-Length: ${inner.length}`, close).concat(inner));
    expect(answers).toBe(1);
    expect((await as(app, { token: master }).rest('GET', one)).status).toBe(200);
  });

  test('a header after many others is read', async () => {
    const many = Array<string>(2_500).fill('a:');
    const asVisitor = (...lines: string[]): string =>
      message([`GET ${one} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${visitor}`, ...lines, close, '']);
    expect((await exchange(app, asVisitor(...many))).answer.status).toBe(404);
    expect((await exchange(app, asVisitor(...many, `Session-Token: ${session}`))).answer.status).toBe(200);
    expect((await exchange(app, asVisitor(...many, 'Session-Token: nonsense'))).answer.status).toBe(401);
  });
});

function trailer(): string {
  const body = `2\r\n{}\r\n0\r\nAuthorization: Bearer ${master}\r\n\r\n`;
  const lines = [`POST ${list} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', 'Trailer: Authorization'];
  return message([...lines, chunked, 'Connection: close'], body);
}
