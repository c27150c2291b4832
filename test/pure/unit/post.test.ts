// The sending of one message (docs/contract.md §9.3) to receivers of all kinds: none costs more than a bounded time and
// space.
import { once } from 'node:events';
import { createServer as createHttp, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { guardedLookup, type LookUpAll } from '../../../src/features/webhooks/delivery/lookup.ts';
import { post, type Answer } from '../../../src/features/webhooks/delivery/post.ts';

const open = { allowPrivate: true, allowHttp: true };
const closed = { allowPrivate: false, allowHttp: true };
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().unref();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket) => socket.unref());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function answering(answer: (response: ServerResponse, path: string) => void): Promise<number> {
  return listen(
    createHttp((request, response) => {
      request.resume();
      answer(response, request.url ?? '');
    }),
  );
}

interface Sending {
  config?: typeof open;
  lookUp?: LookUpAll;
  maxAnswering?: number;
  signal?: AbortSignal;
}

const notFound: LookUpAll = () => Promise.reject(new Error('ENOTFOUND'));

function send(
  url: string,
  { config = open, lookUp = notFound, maxAnswering = 400, signal }: Sending = {},
): Promise<Answer> {
  const lookup = guardedLookup(config, lookUp);
  const never = new AbortController().signal;
  return post({ url, headers: {}, body: '{}' }, { config, lookup, maxAnswering, stopping: signal ?? never });
}

const local = (port: number, path = ''): string => `http://127.0.0.1:${port}/${path}`;

describe('a receiver that', () => {
  test('a receiver that accepts a message: delivered', async () => {
    const port = await answering((response) => response.writeHead(202).end('thanks'));
    expect(await send(local(port))).toMatchObject({ status: 202, error: null, text: 'thanks' });
  });

  test('a receiver that refuses a message: failed, with its status', async () => {
    const port = await answering((response) => response.writeHead(500).end('no\0'));
    expect(await send(local(port))).toMatchObject({
      status: 500,
      error: 'The receiver answered 500.',
      text: 'no\uFFFD',
    });
  });

  test('a receiver that redirects: failed, and the redirect is not followed', async () => {
    const paths: string[] = [];
    const port = await answering((response, path) => {
      paths.push(path);
      response.writeHead(307, { Location: '/else', 'Set-Cookie': 'a=b' }).end();
    });
    expect(await send(local(port, 'here'))).toMatchObject({ status: 307, error: 'The receiver answered 307.' });
    expect(paths).toEqual(['/here']);
  });

  test('a receiver that does not exist: failed', async () => {
    const port = await answering(() => undefined);
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    expect(await send(local(port))).toMatchObject({ status: null, error: 'The connection failed: ECONNREFUSED.' });
  });

  test('a receiver that hangs: failed at the deadline', async () => {
    const port = await answering(() => undefined);
    expect(await send(local(port))).toMatchObject({ status: null, error: 'No answer within 400 ms.', text: null });
  });

  test('a receiver that never accepts the connection: failed at the deadline', async () => {
    const port = await listen(createServer(() => undefined));
    expect(await send(local(port))).toMatchObject({ error: 'No answer within 400 ms.' });
  });

  test('a receiver that answers byte by byte: only its status counts, once it has arrived', async () => {
    const drip = (text: string) =>
      createServer((socket) => {
        socket.on('error', () => undefined);
        let at = 0;
        const timer = setInterval(() => {
          if (socket.destroyed) clearInterval(timer);
          else socket.write(text[at++] ?? 'x');
        }, 20).unref();
      });
    const slow = await listen(drip('HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n'));
    expect(await send(local(slow))).toMatchObject({ status: null, error: 'No answer within 400 ms.' });
    const body = await answering((response) => {
      response.writeHead(200);
      const timer = setInterval(() => {
        if (response.destroyed) clearInterval(timer);
        else response.write('x');
      }, 20).unref();
    });
    const answer = await send(local(body));
    expect(answer).toMatchObject({ status: 200, error: null, text: expect.stringMatching(/^x{1,60}$/) });
  });

  test('a receiver that answers a gigabyte: only its first 1,000 bytes are read', async () => {
    let sent = 0;
    const port = await answering((response) => {
      response.writeHead(200, { 'Content-Length': 1_000_000_000 });
      const chunk = 'y'.repeat(65_536);
      const more = (): void => {
        while (!response.destroyed && sent < 1_000_000_000) {
          sent += chunk.length;
          if (!response.write(chunk)) break;
        }
      };
      response.on('drain', more);
      more();
    });
    expect(await send(local(port))).toMatchObject({ status: 200, error: null, text: 'y'.repeat(1_000) });
    expect(sent).toBeLessThan(50_000_000);
  });

  test('a receiver that answers headers without an end: failed', async () => {
    const port = await listen(
      createServer((socket) => {
        socket.on('error', () => undefined);
        socket.write('HTTP/1.1 200 OK\r\n');
        socket.write(`X-Long: ${'a'.repeat(1_000_000)}\r\n`);
      }),
    );
    expect(await send(local(port))).toMatchObject({
      status: null,
      error: 'The connection failed: HPE_HEADER_OVERFLOW.',
    });
  });

  test('a receiver that breaks off its answer: failed', async () => {
    const port = await answering((response) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('part', () => response.destroy());
    });
    expect(await send(local(port))).toMatchObject({ status: 200, error: null, text: 'part' });
  });

  test('a receiver is not waited for when the process stops', async () => {
    const port = await answering(() => undefined);
    const stop = new AbortController();
    const sending = send(local(port), { signal: stop.signal, maxAnswering: 60_000 });
    setTimeout(() => stop.abort(), 20);
    expect(await sending).toMatchObject({ status: null });
  });
});

describe('a name', () => {
  const always =
    (...addresses: string[]): LookUpAll =>
    () =>
      Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

  test('a name that resolves to a private address is not connected to', async () => {
    let count = 0;
    const port = await answering((response) => {
      count += 1;
      response.end();
    });
    const url = `http://receiver.example:${port}/`;
    const refused = {
      status: null,
      error: 'The URL must not lead to a private or reserved address, unless the service has WEBHOOK_ALLOW_PRIVATE=on.',
      text: null,
    };
    expect(await send(url, { config: closed, lookUp: always('127.0.0.1') })).toMatchObject(refused);
    expect(await send(url, { config: closed, lookUp: always('1.1.1.1', '127.0.0.1') })).toMatchObject(refused);
    expect(await send(url, { config: closed, lookUp: always('::ffff:127.0.0.1') })).toMatchObject(refused);
    expect(await send(url, { config: closed, lookUp: always() })).toMatchObject(refused);
    expect(await send(`http://127.0.0.1:${port}/`, { config: closed })).toMatchObject(refused);
    expect(count).toBe(0);
    expect(await send(url, { lookUp: always('127.0.0.1') })).toMatchObject({ status: 200 });
    expect(count).toBe(1);
  });

  test('a name whose answer changes: the checked address is the connected one', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const changing: LookUpAll = () => {
      asked += 1;
      return Promise.resolve((answers.shift() ?? ['1.1.1.1']).map((address) => ({ address, family: 4 })));
    };
    const port = await answering((response) => response.end('here'));
    // One look-up for one connection.
    expect(await send(`http://receiver.example:${port}/`, { lookUp: changing })).toMatchObject({ text: 'here' });
    expect(asked).toBe(1);
    expect(await send(`http://receiver.example:${port}/`, { config: closed, lookUp: changing })).toMatchObject({
      error: 'The URL must not lead to a private or reserved address, unless the service has WEBHOOK_ALLOW_PRIVATE=on.',
    });
    expect(asked).toBe(2);
  });
});
