// The watches at work: over the answers of a server, over a process of its own, and the verdict on what they left.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mintToken } from '../../../src/auth/tokens.ts';
import type { Exchange } from '../../support/watch/exchange.mjs';
import { watchAnswers } from '../../support/watch/http.mjs';
import { judgeRun } from '../../support/watch/verdict.mjs';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'entryway-test-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('over the answers of a server', () => {
  /** What is seen of one request. */
  async function seen(answer: RequestListener, send: (port: number) => Promise<unknown>): Promise<Exchange[]> {
    const exchanges: Exchange[] = [];
    const stop = watchAnswers((exchange) => void exchanges.push(exchange));
    const server = createServer(answer).listen(0, '127.0.0.1');
    server.on('clientError', (_error, socket) =>
      socket.end('HTTP/1.1 431 Too Large\r\nX-Why: long\r\n\r\nfar too long'),
    );
    try {
      await once(server, 'listening');
      await send((server.address() as AddressInfo).port);
    } finally {
      stop();
      server.closeAllConnections();
      server.close();
    }
    return exchanges;
  }

  test('the watch sees everything that a server writes, with the request, before the client has it', async () => {
    const exchanges = await seen(
      (request, response) => {
        request.resume().once('end', () => {
          response.setHeader('X-Set', 'one');
          response.writeHead(201, { 'X-Written': 'two' });
          response.write('a');
          response.write(Buffer.from('b'));
          response.write('Yw==', 'base64');
          response.end('d');
        });
      },
      async (port) => {
        const sent = { method: 'POST', headers: { 'X-Sent': 'three' }, body: 'four' };
        expect(await (await fetch(`http://127.0.0.1:${port}/five?six`, sent)).text()).toBe('abcd');
      },
    );
    expect(exchanges).toEqual([
      {
        method: 'POST',
        url: '/five?six',
        requestHeaders: expect.arrayContaining([['X-Sent', 'three']]),
        requestBody: 'four',
        status: 201,
        headers: expect.arrayContaining([
          ['X-Set', 'one'],
          ['X-Written', 'two'],
        ]),
        body: 'abcd',
      },
    ]);
  });

  test.each([
    ['gzip', gzipSync('four'), 'four'],
    ['BR', brotliCompressSync('four'), 'four'],
    ['deflate', deflateSync('four'), 'four'],
    ['gzip', Buffer.from('four, not encoded'), 'four, not encoded'],
    ['toString', Buffer.from('four'), 'four'],
  ])(
    'the watch reads a request body of the content coding %s as the service does',
    async (coding, body, requestBody) => {
      const exchanges = await seen(
        (request, response) => void request.resume().once('end', () => response.end()),
        (port) => fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: { 'Content-Encoding': coding }, body }),
      );
      expect(exchanges).toMatchObject([{ requestBody }]);
    },
  );

  test('the watch sees an answer that breaks off as far as it came', async () => {
    const exchanges = await seen(
      (_request, response) => {
        response.write('begun', () => response.destroy());
      },
      (port) => expect(fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.text())).rejects.toThrow(),
    );
    expect(exchanges).toMatchObject([{ status: 200, body: 'begun' }]);
  });

  test('the watch sees answers on a connection whose request can’t be parsed', async () => {
    const exchanges = await seen(
      () => undefined,
      async (port) => {
        const socket = connect(port, '127.0.0.1');
        socket.write('no request at all\r\n\r\n');
        expect(String((await socket.toArray())[0])).toContain('431');
      },
    );
    expect(exchanges).toMatchObject([{ status: 431, headers: [['X-Why', 'long']], body: 'far too long' }]);
  });
});

test('the watch sees a process’s statements, on either database, and its answers', async () => {
  const { token } = mintToken('master');
  const script = join(directory, 'script.mjs');
  writeFileSync(
    script,
    `import { createServer } from 'node:http';
    import { Worker } from 'node:worker_threads';
    import pg from ${JSON.stringify(import.meta.resolve('pg'))};
    import { PGlite } from ${JSON.stringify(import.meta.resolve('@electric-sql/pglite'))};
    new pg.Client().query('SELECT 1 FROM channels').catch(() => undefined);
    new pg.Client().query({ text: 'SELECT 2 FROM sessions WHERE site_id = $1', values: ['a'] }).catch(() => undefined);
    const database = await PGlite.create();
    await database.exec('CREATE TABLE entries (id INTEGER, site_id INTEGER)');
    await database.transaction((work) => work.query('DELETE FROM entries WHERE id = $1', [1]));
    await database.close();
    const request = { kind: 'query', sql: 'DELETE FROM customers WHERE id = $1', parameters: [1] };
    new Worker('', { eval: true }).postMessage({ id: 1, request });
    const server = createServer((request, response) => response.end('${token}')).listen(0);
    await fetch('http://localhost:' + server.address().port).then((answer) => answer.text());
    process.exit(0);`,
  );
  const hook = new URL('../../support/watch/process.mjs', import.meta.url).href;
  const findings = join(directory, 'findings-of-a-test.jsonl');
  const env = {
    ...process.env,
    TEST_WATCH_DIR: directory,
    TEST_WATCH_FILE: 'a.test.ts',
    TEST_WATCH_FINDINGS: findings,
  };
  await promisify(execFile)(process.execPath, ['--import', hook, script], { env });
  const { lines, isClean } = judgeRun(directory, null);
  expect(isClean).toBe(false);
  expect(lines.filter((line) => !/^\d/.test(line))).toEqual([
    expect.stringMatching(/^SELECT on channels .* site_id\n {2}a\.test\.ts\n {2}SELECT 1 FROM channels$/),
    expect.stringMatching(/^is not a query.*CREATE TABLE entries/s),
    expect.stringMatching(/^DELETE on entries .* site_id\n {2}a\.test\.ts\n {2}DELETE FROM entries WHERE id = \$1$/),
    expect.stringMatching(
      /^DELETE on customers .* site_id\n {2}a\.test\.ts\n {2}DELETE FROM customers WHERE id = \$1$/,
    ),
    expect.stringContaining(`a token in an answer: ${token}\n  a.test.ts\n  GET / → 200`),
  ]);
  expect(lines.filter((line) => /^\d/.test(line))).toEqual([
    expect.stringMatching(/^\d+ statements watched, 4 faults$/),
    '1 answers and 0 lines of logs searched, 1 findings',
  ]);
});

describe('the verdict', () => {
  function leave(kind: string, records: unknown[]): void {
    writeFileSync(join(directory, `${kind}-1.jsonl`), records.map((each) => `${JSON.stringify(each)}\n`).join(''));
  }

  function leaveAll(statements: number): void {
    const places = ['test', 'process'].flatMap((place) => ['pg', 'PGlite'].map((driver) => ({ place, driver })));
    const texts = Array.from({ length: statements }, (_, index) => `SELECT ${index}`);
    leave(
      'statements',
      texts.flatMap((text) => places.map((each) => ({ text, file: 'a.test.ts', ...each }))),
    );
    leave(
      'counts',
      ['test', 'process'].map((place) => ({ place, answers: 1000, lines: 1000 })),
    );
  }

  test('the verdict on a complete run without findings: clean', () => {
    leaveAll(50);
    const lines = ['50 statements watched, 0 faults', '2000 answers and 2000 lines of logs searched, 0 findings'];
    expect(judgeRun(directory, ['pg', 'PGlite'])).toEqual({ lines, isClean: true });
  });

  test('the verdict on a run that saw nothing, or too little: the watch is broken', () => {
    expect(judgeRun(directory, ['pg']).isClean).toBe(false);
    leaveAll(49);
    expect(judgeRun(directory, ['PGlite'])).toMatchObject({ isClean: false });
    expect(judgeRun(directory, null).isClean).toBe(true);
    leave('statements', [{ text: 'SELECT 1', driver: 'pg', place: 'test', file: 'a' }]);
    expect(judgeRun(directory, ['pg']).lines).toContain(
      'THE WATCH IS BROKEN: only 1 statements sent by pg seen (test)',
    );
  });

  test('the verdict on a run with a fault, or a finding: failed', () => {
    leave('statements', [{ text: 'SELECT * FROM entries', driver: 'pg', place: 'test', file: 'a.test.ts' }]);
    expect(judgeRun(directory, null)).toMatchObject({ isClean: false });
    leave('statements', []);
    expect(judgeRun(directory, null)).toMatchObject({ isClean: true });
    leave('findings', [{ what: 'a token', where: 'GET /', file: 'a.test.ts' }]);
    expect(judgeRun(directory, null).lines).toContain('a token\n  a.test.ts\n  GET /');
    expect(judgeRun(directory, null)).toMatchObject({ isClean: false });
  });
});
