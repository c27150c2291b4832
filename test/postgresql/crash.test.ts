// The database server is killed under load and comes back: callers get 503 meanwhile and nothing else, the service
// recovers by itself, and each acknowledged write is stored once.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlainDatabase } from '../../src/database/database.ts';
import { as, type Caller, type GraphqlAnswer, type RestAnswer } from '../support/as.ts';
import { buildChannel, buildSite, type TestSite } from '../support/build.ts';
import type { OwnServer } from '../../scripts/postgresql.mjs';
import { startCrashingServer } from '../support/crashing.ts';
import { expectProblem } from '../support/expect.ts';
import { entryway, serve, type ServiceProcess } from '../support/process.ts';
import { openPlain } from '../support/db.ts';

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
});
afterAll(async () => {
  service.child.kill('SIGKILL');
  await server.stop();
});

async function withDatabase<T>(work: (database: PlainDatabase) => Promise<T>): Promise<T> {
  const database = await openPlain({ databaseUrl: server.url, databasePool: 2, dataDir: '' });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** What the writers were told, by the marker that each entry has to itself. Revision 1 is created, 2 an update. */
const acknowledged = { 1: [] as string[], 2: [] as string[] };
let refused = 0;

async function writeByRest(caller: Caller, marker: string): Promise<void> {
  const path = '/channels/articles/entries';
  const created = await caller.rest<{ id: string }>('POST', path, { body: { marker, revision: 1 } });
  if (!isDone(created, 201)) return;
  acknowledged[1].push(marker);
  const updated = await caller.rest('PATCH', `${path}/${created.body.id}`, { body: { revision: 2 } });
  if (isDone(updated, 200)) acknowledged[2].push(marker);
}

function isDone(answer: RestAnswer<unknown>, status: number): boolean {
  if (answer.status === status) return true;
  expectProblem(answer, 'unavailable');
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  refused += 1;
  return false;
}

async function writeByGraphql(caller: Caller, marker: string): Promise<void> {
  const create = 'mutation ($input: EntryInput!) { entry: createEntry(channel: "articles", input: $input) { id } }';
  const update =
    'mutation ($id: ID!, $input: EntryInput!) { entry: updateEntry(channel: "articles", id: $id, input: $input) { id } }';
  const id = await idOf(caller.gql(create, { input: { fields: { marker, revision: 1 } } }));
  if (id === null) return;
  acknowledged[1].push(marker);
  const updated = await idOf(caller.gql(update, { id, input: { fields: { revision: 2 } } }));
  if (updated !== null) acknowledged[2].push(marker);
}

async function idOf(asked: Promise<GraphqlAnswer<unknown>>): Promise<string | null> {
  const { status, data, errors, headers } = await asked;
  if (errors === undefined) return (data as { entry: { id: string } }).entry.id;
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(['UNAVAILABLE']);
  // Before execution, where the caller could not be looked up, or during it.
  expect([200, 503]).toContain(status);
  if (status === 503) expect(headers.get('retry-after')).toMatch(/^\d+$/);
  refused += 1;
  return null;
}

test('callers under load get 503 while the database server is down, and each acknowledged write is stored once', async () => {
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
      const read = await caller.rest('GET', '/channels/articles/entries');
      expectProblem(read, 'unavailable');
      expect(read.headers.get('retry-after')).toMatch(/^\d+$/);
      const { status, errors } = await caller.gql('{ channels { id } }');
      expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([503, ['UNAVAILABLE']]);
      await server.restart();
      await reach(acknowledged[2].length + 100);
      isOver = true;
    })(),
  ]);
  await load;
  expect((await as(service).rest('GET', '/readyz')).status).toBe(200);
  const stored = await withDatabase(({ prisma }) =>
    prisma.entry.findMany({ where: { siteId: site.id }, select: { data: true, version: true }, take: 100_000 }),
  );
  const entries = stored.map(({ data, version }) => ({ ...(data as { marker: string; revision: number }), version }));
  const markersFrom = (revision: number): Set<string> =>
    new Set(entries.filter((entry) => entry.revision >= revision).map(({ marker }) => marker));
  expect(entries.length).toBe(markersFrom(1).size);
  for (const revision of [1, 2] as const) {
    const kept = markersFrom(revision);
    expect(acknowledged[revision].filter((marker) => !kept.has(marker))).toEqual([]);
  }
  // A write that was done twice, or by half, would show here.
  expect(entries.filter(({ revision, version }) => revision !== version)).toEqual([]);
  expect(await service.stop()).toBe(0);
});

test('the log has one line with its id for each request that failed during the crash', () => {
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
  // That /readyz says 503 is logged at debug.
  expect(unexplained).toEqual([]);
});

async function reach(count: number): Promise<void> {
  while (acknowledged[2].length < count) await sleep(20);
}
