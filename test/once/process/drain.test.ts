// A real process, told to stop: what is in flight finishes, then it ends well. And what it logs meanwhile.
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { serveSite } from '../../support/servedSite.ts';
import type { Workplace } from '../../support/workplace.ts';
import { as } from '../../support/as.ts';
import { buildChannel, type TestSite } from '../../support/build.ts';
import { serve, type ServiceProcess } from '../../support/process.ts';

let place: Workplace;
let site: TestSite;
let service: ServiceProcess;

beforeEach(async () => {
  ({ place, site, service } = await serveSite(async (prisma, siteId) => {
    await buildChannel(prisma, siteId, { id: 'articles' });
  }));
});
afterEach(async () => {
  service.child.kill('SIGKILL');
  await place.remove();
});

/** A create whose body is still on its way. */
async function createInFlight(): Promise<ClientRequest> {
  const body = JSON.stringify({ title: 'in flight' });
  const inFlight = request(`${service.url}/channels/articles/entries`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${site.master}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    },
  });
  inFlight.write(body.slice(0, 5));
  // The service has begun on it once a request that was sent later was answered.
  await as(service).rest('GET', '/livez');
  setTimeout(() => inFlight.end(body.slice(5)), 500);
  return inFlight;
}

/** Asks until a connection is refused. */
async function untilRefused(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    await ask();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('after SIGTERM, a running request is answered, new ones are refused, and the process exits with 0', async () => {
  const inFlight = await createInFlight();
  const answered = once(inFlight, 'response') as Promise<[IncomingMessage]>;
  const told = performance.now();
  const exited = once(service.child, 'exit') as Promise<[number | null]>;
  service.child.kill('SIGTERM');
  await expect(untilRefused(() => as(service).rest('GET', '/readyz'))).rejects.toThrow('fetch failed');
  const [answer] = await answered;
  expect(answer.statusCode).toBe(201);
  expect(answer.headers.connection).toBe('close');
  answer.resume();
  expect((await exited)[0]).toBe(0);
  expect(performance.now() - told).toBeLessThan(30_000);

  service = await serve(place.environment);
  const list = await as(service, { token: site.master }).rest<{ title: string }[]>('GET', '/channels/articles/entries');
  expect(list.body.map(({ title }) => title)).toEqual(['in flight']);
});

test('a client that never finishes its request does not keep the process from exiting in time', async () => {
  const stuck = request(`${service.url}/channels/articles/entries`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${site.master}`, 'Content-Type': 'application/json', 'Content-Length': 10 },
  });
  stuck.on('error', () => undefined);
  stuck.write('{');
  await as(service).rest('GET', '/livez');
  const told = performance.now();
  expect(await service.stop()).toBe(0);
  expect(performance.now() - told).toBeLessThan(30_000);
});

test('the log has a line for each request with its id, and no token', async () => {
  const requestId = 'drain-test/1';
  const headers = { 'X-Request-Id': requestId };
  const master = as(service, { token: site.master });
  await master.rest('GET', '/channels/articles/entries', { headers });
  await master.rest('GET', `/channels/${site.master}/entries?token=${site.public}`, { headers });
  await as(service, { session: site.master }).rest('GET', `/channels/x/entries/${site.public}`, { headers });
  expect(await service.stop()).toBe(0);
  const lines = service.log().trim().split('\n');
  const requests = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'request');
  expect(requests.filter((line) => line['requestId'] === requestId).map(({ status }) => status)).toEqual([
    200, 400, 401,
  ]);
  for (const token of [site.master, site.public]) expect(service.log()).not.toContain(token.slice(-40));
  expect(service.log()).toContain('ew_master_[redacted]');
});

test('with DRAIN_DELAY, the process first reports that it is not ready, and answers for that time', async () => {
  expect(await service.stop()).toBe(0);
  service = await serve({ ...place.environment, DRAIN_DELAY: '1500' });
  const exited = once(service.child, 'exit') as Promise<[number | null]>;
  const master = as(service, { token: site.master });
  const list = () => master.rest('GET', '/channels/articles/entries');
  expect((await list()).status).toBe(200);
  service.child.kill('SIGTERM');
  const ready = () => as(service).rest('GET', '/readyz');
  while ((await ready()).status === 200) await new Promise((resolve) => setTimeout(resolve, 5));
  expect([(await ready()).status, (await list()).status]).toEqual([503, 200]);
  expect((await exited)[0]).toBe(0);
});
