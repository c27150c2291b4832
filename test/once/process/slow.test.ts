// Clients that dawdle, and thousands that say nothing: they are let go in time, and meanwhile everybody else is answered.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endServed, serveSite } from '../../support/servedSite.ts';
import type { Workplace } from '../../support/workplace.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, type TestSite } from '../../support/build.ts';
import { serve, type ServiceProcess } from '../../support/process.ts';

const limit = 1_000;

let place: Workplace;
let site: TestSite;
let service: ServiceProcess;
beforeAll(async () => {
  ({ place, site, service } = await serveSite(
    async (prisma, siteId) => {
      const channel = await buildChannel(prisma, siteId, { id: 'articles' });
      // Together more than fits between the service and a client that does not read.
      const data = { filler: 'x'.repeat(900_000) };
      for (let at = 0; at < 15; at += 1) await buildEntry(prisma, channel, { data });
    },
    { REQUEST_TIMEOUT: String(limit) },
  ));
});
afterAll(() => endServed({ place, service }));

/** A connection, and what comes of it: all that was answered, once the service has ended it. */
async function open(text: string): Promise<{ socket: Socket; ended: Promise<string> }> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  // A connection that is reset is ended, too.
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(answer)));
  if (text !== '') socket.write(text);
  return { socket, ended };
}

async function expectAnswers(): Promise<void> {
  expect((await as(service).rest('GET', '/livez')).status).toBe(200);
  expect((await as(service).rest('GET', '/channels/articles/entries')).status).toBe(401);
}

const post = 'POST /channels/articles/entries HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

test.each([
  ['headers', 408, () => 'GET /livez HTTP/1.1\r\nHost: x\r\n'],
  ['body', 408, () => `${post}Authorization: Bearer ${site.master}\r\nContent-Length: 1000\r\n\r\n{`],
  // Unknown callers are refused before their body has come.
  ['body, and is unknown', 401, () => `${post}Authorization: Bearer none\r\nContent-Length: 1000\r\n\r\n{`],
])('a client that sends its %s slowly, byte by byte, gets %d', async (_part, status, text) => {
  const { socket, ended } = await open(text());
  const dribble = setInterval(() => socket.write('X'), 100);
  await expectAnswers();
  const answer = await ended;
  clearInterval(dribble);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  await expectAnswers();
});

test('an idle connection stays open longer than proxies keep theirs', async () => {
  const { headers } = await as(service).rest('GET', '/livez');
  expect(headers.get('keep-alive')).toBe('timeout=125');
});

test('a client that does not read its answer is disconnected', async () => {
  const { socket, ended } = await open('');
  socket.pause();
  const list = `GET /channels/articles/entries?per_page=15 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${site.master}`;
  socket.write(`${list}\r\n\r\n`);
  await expectAnswers();
  // Its end, after four times the limit, is seen only by who reads on: what was in the buffers is all there is.
  setTimeout(() => socket.resume(), 8 * limit);
  const answer = await ended;
  const length = Number(/^content-length: (\d+)/im.exec(answer)?.[1]);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(length).toBeGreaterThan(15 * 900_000);
  expect(answer.length).toBeLessThan(length);
  await expectAnswers();
});

test('2,000 silent connections do not keep the service from answering', async () => {
  // Long enough that all of them are there at once.
  expect(await service.stop()).toBe(0);
  service = await serve({ ...place.environment, REQUEST_TIMEOUT: '10000' });
  const connections: Awaited<ReturnType<typeof open>>[] = [];
  while (connections.length < 2_000) {
    connections.push(...(await Promise.all(Array.from({ length: 200 }, () => open('')))));
    // Who is answered has been let in, and all before: the system itself drops what more than 511 wait to be.
    await expectAnswers();
  }
  expect(connections.filter(({ socket }) => !socket.closed).length).toBe(2_000);
  await expectAnswers();
  await Promise.all(connections.map(({ ended }) => ended));
  await expectAnswers();
});
