// The fate of a request with an unhandled rejection (src/app.ts), by the part of its answer that has been sent.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { createStrayHandler } from '../../../src/app.ts';
import { createBegin } from '../../../src/http/begin.ts';
import type { HttpRequest, HttpResponse } from '../../../src/http/messages.ts';
import { sendProblem } from '../../../src/http/problem.ts';
import { wireOptions } from '../../../src/http/wire.ts';

const log = pino({ enabled: false });
const begin = createBegin(
  { production: true, corsOrigins: undefined, trustProxy: false, rateLimits: null },
  { log, metrics: null, nameRoute: () => 'unknown' },
);
const counted: string[] = [];
const takeStray = createStrayHandler(log, { countStray: (source) => counted.push(source) });
const server = createServer(wireOptions);
let url = '';

beforeEach(async () => {
  counted.length = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.removeAllListeners('request');
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

/** Begins to answer each request with `answer`, and then leaves a rejection of it. */
function strayAfter(
  answer: (response: HttpResponse) => void,
  then: (response: HttpResponse) => void = () => undefined,
): void {
  server.on('request', (request: HttpRequest, response: HttpResponse) => {
    begin(request, response);
    answer(response);
    const error = new Error('lost');
    request.account.own(error);
    takeStray(new Error('around it', { cause: error }));
    then(response);
  });
}

test('an unhandled rejection before the answer: 500, the connection ends, and a later answer is dropped', async () => {
  strayAfter(
    () => undefined,
    (response) => sendProblem(response, new Error('later'), log),
  );
  const answer = await fetch(`${url}/channels`);
  expect([answer.status, answer.headers.get('connection')]).toEqual([500, 'close']);
  expect(await answer.json()).toMatchObject({ code: 'internal', request_id: answer.headers.get('x-request-id') });
  expect(counted).toEqual(['request']);
});

test.each(['/graphql', '/graphql/site', '/graphql/stream'])(
  'an unhandled rejection before the answer at %s: a 500 in the form of GraphQL',
  async (path) => {
    strayAfter(() => undefined);
    const answer = await fetch(url + path, { method: 'POST' });
    expect([answer.status, await answer.json()]).toEqual([
      500,
      {
        errors: [
          expect.objectContaining({ extensions: expect.objectContaining({ code: 'INTERNAL_SERVER_ERROR' }) as object }),
        ],
      },
    ]);
  },
);

test('an unhandled rejection during the answer: the connection ends', async () => {
  strayAfter((response) => response.write('half'));
  await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow();
});

test('an unhandled rejection after the answer: the answer is unchanged', async () => {
  strayAfter((response) => response.sendJson(200, '{}'));
  const answer = await fetch(url);
  expect([answer.status, await answer.text(), counted]).toEqual([200, '{}', ['request']]);
});

test('an unhandled rejection of no request is counted as such', () => {
  takeStray(new Error('background'));
  takeStray('a text');
  expect(counted).toEqual(['unknown', 'unknown']);
});

test('an unhandled rejection before an answer that would be compressed: the 500 is complete', async () => {
  strayAfter((response) => response.send(200, 'text/plain', 'x'.repeat(2_000)));
  const answer = await fetch(`${url}/channels`, { headers: { 'accept-encoding': 'gzip' } });
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ code: 'internal' });
});

test('an answer that cannot be sent is broken off, and its status is logged', async () => {
  let noted: unknown;
  server.on('request', (request: HttpRequest, response: HttpResponse) => {
    begin(request, response);
    response.end = () => {
      throw new Error('cannot');
    };
    response.on('close', () => (noted = request.account.fault));
    response.send(200, 'text/plain', 'x'.repeat(2_000));
  });
  await expect(fetch(`${url}/channels`, { headers: { 'accept-encoding': 'gzip' } })).rejects.toThrow();
  expect(noted).toMatchObject({ message: 'cannot' });
});
