// Streams of large entries that are read a little at a time: what they have still to be sent is bounded, and the process keeps its size.
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { buildChannel, type TestSite } from '../../support/build.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { endServed, serveSite } from '../../support/servedSite.ts';
import type { Workplace } from '../../support/workplace.ts';

const streams = 200;
/** A page of a stream with entries has 20 of them, 14 MB. */
const entries = 40;
/** How many streams have to end before the test does. */
const ended = 20;
/** In megabytes: pages that were given up take room until they are collected. All of a hundred pages that are held would take 1,400. */
const maxGrowth = 1_000;
const body = 'x'.repeat(700_000);

let place: Workplace;
let site: TestSite;
let service: ServiceProcess;

beforeAll(async () => {
  const NODE_OPTIONS = '--max-old-space-size=512';
  ({ place, site, service } = await serveSite((prisma, siteId) => buildChannel(prisma, siteId, { id: 'big' }), {
    NODE_OPTIONS,
    RATE_LIMIT: 'off',
  }));
}, 600_000);

afterAll(() => endServed({ place, service }));

/** Opens a stream with entries that nobody reads yet. */
async function openStream(cursor: string): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const headers = `Host: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${site.public}\r\n`;
  socket.write(`GET /changes?include=entry&after=${cursor} HTTP/1.1\r\n${headers}\r\n`);
  return socket;
}

/** The memory of the service in megabytes. */
function readResident(): number {
  const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
}

// Linux tells how much memory a process has.
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux(
  '200 streams of one address that begin at cursors of their own, and drip: those beyond the bound end, and memory stays',
  async () => {
    const visitor = as(service, { token: site.public });
    const cursors: string[] = [];
    while (cursors.length < streams) {
      const { body } = await visitor.rest('GET', '/changes?after=now');
      cursors.push((body as { cursor: string }).cursor);
    }
    expect(new Set(cursors).size).toBe(streams);
    const master = as(service, { token: site.master });
    for (let at = 0; at < entries; at += 1) {
      expect((await master.rest('POST', '/channels/big/entries', { body: { body } })).status).toBe(201);
    }
    const before = readResident();
    const sockets = await Promise.all(cursors.map(openStream));
    const isOpen = (socket: Socket): boolean => !socket.closed && !socket.readableEnded;
    while (sockets.filter(isOpen).length > streams - ended) {
      for (const socket of sockets.filter(isOpen)) {
        socket.resume();
        setImmediate(() => socket.pause());
      }
      expect(readResident() - before).toBeLessThan(maxGrowth);
      await sleep(250);
    }
    for (const socket of sockets) socket.destroy();
    expect((await visitor.rest('GET', '/livez')).status).toBe(200);
  },
  600_000,
);
