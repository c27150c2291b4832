// Clients that dawdle, and thousands that say nothing: they are let go in time, and meanwhile everybody else is answered.
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { as } from '../support/as.ts';
import { databaseKind, testDatabaseUrl } from '../support/db.ts';
import { serve, type ServiceProcess } from '../support/process.ts';

const limit = 2_000;

let service: ServiceProcess;
let cleanUp: () => Promise<void>;
beforeAll(async () => {
  const environment: Record<string, string> = { REQUEST_TIMEOUT: String(limit) };
  if (databaseKind === 'postgresql') {
    const { url, drop } = await testDatabaseUrl();
    environment['DATABASE_URL'] = url;
    cleanUp = drop;
  } else {
    const directory = mkdtempSync(join(tmpdir(), 'entryway-slow-'));
    environment['DATA_DIR'] = directory;
    cleanUp = () => rm(directory, { recursive: true, force: true });
  }
  service = await serve(environment);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await cleanUp();
});

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

test.each([
  ['headers', 'GET /livez HTTP/1.1\r\nHost: x\r\n'],
  ['body', 'POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer none\r\nContent-Length: 1000\r\n\r\n{'],
])('a client that sends its %s a byte now and then', async (_part, text) => {
  const { socket, ended } = await open(text);
  const dribble = setInterval(() => socket.write('X'), 100);
  await expectAnswers();
  const answer = await ended;
  clearInterval(dribble);
  // Unknown callers are refused before their body has come.
  expect(answer).toMatch(/^HTTP\/1\.1 (408|401) /);
  await expectAnswers();
});

test('2,000 connections that say nothing', async () => {
  const connections = await Promise.all(Array.from({ length: 2_000 }, () => open('')));
  await expectAnswers();
  await Promise.all(connections.map(({ ended }) => ended));
  await expectAnswers();
});

test('a client that asks, and takes no answer', async () => {
  const ask = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
  const { socket, ended } = await open('');
  socket.pause();
  socket.write(ask.repeat(500));
  await expectAnswers();
  // Its end is seen only by who reads on: what was in the buffers is all there is.
  setTimeout(() => socket.resume(), 3 * limit);
  await ended;
  await expectAnswers();
});
