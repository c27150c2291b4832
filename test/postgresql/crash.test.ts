// The database server is killed under load and comes back: writers are told 503 meanwhile and nothing else, the service
// goes on by itself, and each write that was acknowledged is there once.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, type Database } from '../../src/db/database.ts';
import { as, type Caller } from '../support/as.ts';
import { buildChannel, buildSite, type TestSite } from '../support/build.ts';
import type { OwnServer } from '../../scripts/postgresql.mjs';
import { startCrashingServer } from '../support/crashing.ts';
import { expectProblem } from '../support/expect.ts';
import { entryway, serve, type ServiceProcess } from '../support/process.ts';

let server: OwnServer;
let service: ServiceProcess;
let site: TestSite;
beforeAll(async () => {
  server = await startCrashingServer();
  const environment = { DATABASE_URL: server.url };
  expect((await entryway(['migrate', '--json'], environment)).code).toBe(0);
  await withDatabase(async ({ prisma }) => {
    site = await buildSite(prisma);
    await buildChannel(prisma, site.id, { id: 'articles' });
  });
  service = await serve(environment);
}, 60_000);
afterAll(async () => {
  service.child.kill('SIGKILL');
  await server.stop();
});

async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase({ databaseUrl: server.url, databasePool: 2, dataDir: '' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** What the writers were told, by the marker that each write has to itself. */
const acknowledged: string[] = [];
let refused = 0;

async function writeByRest(caller: Caller, marker: string): Promise<void> {
  const answer = await caller.rest('POST', '/channels/articles/entries', { body: { marker } });
  if (answer.status === 201) {
    acknowledged.push(marker);
    return;
  }
  expectProblem(answer, 'unavailable');
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  refused += 1;
}

async function writeByGraphql(caller: Caller, marker: string): Promise<void> {
  const query = 'mutation ($input: EntryInput!) { createEntry(channel: "articles", input: $input) { id } }';
  const { status, errors, headers } = await caller.gql(query, { input: { fields: { marker } } });
  if (errors === undefined) {
    acknowledged.push(marker);
    return;
  }
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['UNAVAILABLE']);
  // Before execution, where the caller could not be looked up, or during it.
  expect([200, 503]).toContain(status);
  if (status === 503) expect(headers.get('retry-after')).toMatch(/^\d+$/);
  refused += 1;
}

test('under load', async () => {
  const caller = as(service, { token: site.master });
  let isOver = false;
  const writers = [0, 1, 2, 3, 4, 5].map(async (writer) => {
    for (let at = 0; !isOver; at += 1) {
      await (writer % 2 === 0 ? writeByRest : writeByGraphql)(caller, `w${writer}-${at}`);
      await sleep(5);
    }
  });
  const load = Promise.all(writers);
  // A writer that finds something wrong ends the test, whatever it is at.
  await Promise.race([
    load,
    (async () => {
      await reach(50);
      await server.crash();
      while (refused < 20) await sleep(20);
      expect((await as(service).rest('GET', '/readyz')).status).toBe(503);
      expect((await as(service).rest('GET', '/livez')).status).toBe(200);
      await server.restart();
      await reach(acknowledged.length + 100);
      isOver = true;
    })(),
  ]);
  await load;
  expect((await as(service).rest('GET', '/readyz')).status).toBe(200);
  const stored = await withDatabase(({ prisma }) =>
    prisma.entry.findMany({ where: { siteId: site.id }, select: { data: true }, take: 100_000 }),
  );
  const markers = stored.map(({ data }) => (data as { marker: string }).marker);
  expect(markers.length).toBe(new Set(markers).size);
  expect(acknowledged.filter((marker) => !markers.includes(marker))).toEqual([]);
  expect(await service.stop()).toBe(0);
}, 90_000);

test('each fault left one line in the log, with the id of the request', () => {
  const lines = service
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; requestId?: string; status?: number; level: number });
  const faults = lines.filter(({ msg }) => msg === 'unavailable').map(({ requestId }) => requestId);
  expect(faults.length).toBe(new Set(faults).size);
  const requests = lines.filter(({ msg, status }) => msg === 'request' && status === 503);
  const known = new Set(faults);
  const unexplained = requests.filter(({ requestId }) => requestId === undefined || !known.has(requestId));
  // /readyz says 503 by itself.
  expect(unexplained.length).toBe(1);
});

async function reach(count: number): Promise<void> {
  while (acknowledged.length < count) await sleep(20);
}
