// Readers that do not read their answers lose them, and not a slow reader of another address.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, type TestSite } from '../../support/build.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { endServed, serveSite } from '../../support/servedSite.ts';
import type { Workplace } from '../../support/workplace.ts';

let place: Workplace;
let site: TestSite;
let service: ServiceProcess;

const entries = 14;

beforeAll(async () => {
  ({ place, site, service } = await serveSite(
    async (prisma, siteId) => {
      const big = await buildChannel(prisma, siteId, { id: 'big' });
      for (let at = 0; at < entries; at += 1) {
        await buildEntry(prisma, big, { slug: `big-${at}`, data: { body: 'x'.repeat(1_000_000) } });
      }
    },
    { RATE_LIMIT: 'off', TRUST_PROXY: '1' },
  ));
}, 600_000);

afterAll(() => endServed({ place, service }));

const rest = `GET /channels/big/entries?per_page=${entries} HTTP/1.1\r\n`;
const query = JSON.stringify({ query: `{ entries(channel: "big", first: ${entries}) { nodes { fields } } }` });
const graphql = `Content-Type: application/json\r\nContent-Length: ${query.length}\r\n`;

/** Asks for an answer of some megabytes, and resolves once it begins. Nothing more of it is read until the socket is resumed. */
async function ask(address: string, path: 'rest' | 'graphql' | 'stream'): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const line = { rest, graphql: 'POST /graphql HTTP/1.1\r\n', stream: 'POST /graphql/stream HTTP/1.1\r\n' }[path];
  const headers = `Host: x\r\nConnection: close\r\nX-Forwarded-For: ${address}\r\nAuthorization: Bearer ${site.public}\r\n`;
  socket.write(`${line}${headers}${path === 'rest' ? '' : graphql}\r\n${path === 'rest' ? '' : query}`);
  await once(socket, 'readable');
  return socket;
}

/** Reads what has come on connections, one after the other. @returns how many of them the service has closed before their end */
async function countCut(sockets: readonly Socket[]): Promise<number> {
  let cut = 0;
  for (const socket of sockets) if ((await readAll(socket)) < entries * 1_000_000) cut += 1;
  return cut;
}

/** Reads a connection to its end, or until the answer is whole. @returns how many bytes came */
async function readAll(socket: Socket): Promise<number> {
  let length = 0;
  await new Promise<void>((resolve) => {
    if (socket.closed) resolve();
    socket.on('close', () => resolve());
    socket.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length >= entries * 1_000_000) resolve();
    });
    socket.resume();
  });
  socket.destroy();
  return length;
}

test.each(['rest', 'graphql', 'stream'] as const)(
  'beside twelve answers over %s that one address does not read, a slow reader of another address gets its whole answer',
  async (path) => {
    const slow = await ask('10.0.0.1', 'rest');
    let read = 0;
    const still: Socket[] = [];
    for (let at = 0; at < 12; at += 1) {
      still.push(await ask('10.0.0.2', path));
      read += (slow.read(100_000) as Buffer | null)?.length ?? 0;
    }
    // Those are the least that have to be lost: five fit into what may wait.
    expect(await countCut(still)).toBeGreaterThanOrEqual(5);
    expect(read + (await readAll(slow))).toBeGreaterThan(entries * 1_000_000);
    expect((await as(service).rest('GET', '/livez')).status).toBe(200);
  },
  600_000,
);
