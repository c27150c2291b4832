// Writes that wait for a standby which is away. The server is this test's own: a transaction that waits for a standby after it
// has notified holds up notifications of the whole server.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { findBinaries, startServer, type OwnServer } from '../../scripts/postgresql.mjs';
import type { PlainDatabase } from '../../src/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as } from '../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite } from '../support/build.ts';
import { openPlain } from '../support/db.ts';
import { entryway, serve } from '../support/process.ts';

let server: OwnServer;
let other: pg.Client;
const opened: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const bin = findBinaries();
  if (bin === null) throw new Error('These tests need PostgreSQL.');
  server = await startServer(bin, { isDurable: true });
  expect((await entryway(['migrate', '--json'], { DATABASE_URL: server.url })).code).toBe(0);
  other = new pg.Client(server.url);
  await other.connect();
});

afterEach(async () => {
  await setStandbys('');
  for (const close of opened.splice(0)) await close();
});

afterAll(async () => {
  await other.end();
  await server.stop();
});

/** Starts a service whose pool has so many connections. */
async function startWith(connections: number): Promise<{ database: PlainDatabase; app: TestApp }> {
  const database = await openPlain({ databaseUrl: server.url, databasePool: connections, dataDir: '' });
  const app = await startApp({ DATABASE_POOL: String(connections) }, database);
  opened.push(async () => {
    await app.close();
    await database.close();
  });
  return { database, app };
}

/** Sets which standbys confirm commits, and waits until the server has taken it over. */
async function setStandbys(names: string): Promise<void> {
  await other.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await other.query('SELECT pg_reload_conf()');
  const shown = async (): Promise<unknown> => (await other.query('SHOW synchronous_standby_names')).rows;
  while (JSON.stringify(await shown()) !== JSON.stringify([{ synchronous_standby_names: names }])) await sleep(50);
}

/** How many COMMITs wait for a standby. */
async function countHanging(): Promise<number> {
  const { rows } = await other.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
  );
  return rows[0]?.count ?? 0;
}

async function untilHanging(count: number): Promise<void> {
  while ((await countHanging()) < count) await sleep(50);
}

/** A site with what the transactions are about. */
async function buildScene({ database, app }: { database: PlainDatabase; app: TestApp }) {
  const site = await buildSite(database.prisma);
  const articles = await buildChannel(database.prisma, site.id, { id: 'articles' });
  await buildChannel(database.prisma, site.id, { id: 'other' });
  await buildCustomer(database.prisma, site.id, { id: 'ada' });
  await buildEntry(database.prisma, articles, { slug: 'here' });
  return { site, articles, master: as(app, { token: site.master }) };
}

type Sent = [name: string, method: string, path: string, body: unknown, headers?: Record<string, string>];
const mutation = (field: string): { query: string } => ({ query: `mutation { ${field} }` });

/**
 * Writes that run in a transaction, on both doors. None of them notifies, and each entry has a slug of its own, so that each waits
 * for the standby alone.
 */
const plain: Sent[] = [
  ['create with a key', 'POST', '/channels/articles/entries', { slug: 'a' }, { 'Idempotency-Key': 'a' }],
  [
    'atomic bulk',
    'POST',
    '/channels/articles/entries/bulk',
    { atomic: true, operations: [{ op: 'create', data: { slug: 'b' } }] },
  ],
  ['bulk', 'POST', '/channels/articles/entries/bulk', { operations: [{ op: 'create', data: { slug: 'c' } }] }],
  ['createToken', 'POST', '/tokens', { kind: 'public' }],
  ['createCustomer', 'POST', '/customers', { id: 'grace' }],
  ['createSession', 'POST', '/customers/ada/sessions', {}],
  [
    'createEntry with a key',
    'POST',
    '/graphql',
    mutation('createEntry(channel: "articles", input: { slug: "d" }) { id }'),
    { 'Idempotency-Key': 'b' },
  ],
  [
    'bulkEntries',
    'POST',
    '/graphql',
    mutation(
      'bulkEntries(channel: "articles", operations: [{ op: CREATE, input: { slug: "e" } }]) { results { status } }',
    ),
  ],
  ['createToken', 'POST', '/graphql', mutation('createToken(input: { kind: PUBLIC }) { token }')],
  ['createCustomer', 'POST', '/graphql', mutation('createCustomer(input: { id: "alan" }) { id }')],
  ['createSession', 'POST', '/graphql', mutation('createSession(customer: "ada") { token }')],
];

/** Those that notify: one at a time, because the first one holds up the notifications of the others. */
const notifying: Sent[] = [
  ['createChannel', 'POST', '/channels', { id: 'new' }],
  ['updateChannel', 'PATCH', '/channels/other', { name: 'Other' }],
  ['createWebhook', 'POST', '/webhooks', { url: 'https://1.1.1.1/', audience: 'public' }],
];

/** The words of the error in an answer of either door. */
function wordsOf(text: string): string {
  return /"(?:detail|message)":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text;
}

test.each([
  ['keyed writes, bulks and new tokens, customers and sessions', plain],
  ...notifying.map((sent): [string, Sent[]] => [sent[0], [sent]]),
])(
  'no standby confirms %s: each gets the 503 of a simple write, in its time, with the same words',
  async (_name, sent) => {
    const { master } = await buildScene(await startWith(2 * sent.length + 6));
    await setStandbys('away');
    const simple = master.rest('POST', '/channels/articles/entries', { body: {} });
    const answers = sent.map(([, method, path, body, headers = {}]) => master.rest(method, path, { body, headers }));
    await untilHanging(sent.length + 1);
    const { status, text } = await simple;
    expect([status, wordsOf(text)]).toEqual([503, expect.stringContaining('it may be stored now or later')]);
    // They began when the simple write did: as long again is room enough for a busy machine.
    const inTime = await Promise.race([Promise.all(answers), sleep(15_000, [])]);
    expect(inTime).toHaveLength(sent.length);
    for (const [index, answer] of inTime.entries()) {
      const [name, , path] = sent[index] ?? [];
      const code = path === '/graphql' ? 'UNAVAILABLE' : '"unavailable"';
      expect([name, path, wordsOf(answer.text), answer.text.includes(code)]).toEqual([name, path, wordsOf(text), true]);
    }
    await setStandbys('');
    expect((await master.rest('POST', '/channels/articles/entries', { body: {} })).status).toBe(201);
  },
);

test('100 transactions and the feeds of 8 sites that no standby confirms leave connections for reads', async () => {
  const connections = 6;
  const service = await startWith(connections);
  const { site, master } = await buildScene(service);
  const sites: Awaited<ReturnType<typeof buildScene>>[] = [];
  while (sites.length < 8) sites.push(await buildScene(service));
  await setStandbys('away');
  // Their channels and entries have no places in their feeds yet.
  const feeds = sites.map((scene) => scene.master.rest('GET', '/changes'));
  const writers = sites
    .flatMap((scene) => [scene.master, scene.master])
    .concat(Array.from({ length: 84 }, () => master));
  const writes = writers.map((writer, index) => {
    const headers = { 'Idempotency-Key': `key-${index}` };
    return writer.rest('POST', '/channels/articles/entries', { body: {}, headers });
  });
  let most = 0;
  const progress = { isDone: false };
  const done = Promise.all([...writes, ...feeds]).finally(() => (progress.isDone = true));
  const reader = as(service.app, { token: site.public });
  await untilHanging(1);
  let reads = 0;
  for (; !progress.isDone; reads += 1) {
    expect((await reader.rest('GET', '/channels/articles/entries/here')).status).toBe(200);
    expect((await reader.rest('GET', '/channels/articles/entries')).status).toBe(200);
    expect((await reader.rest('GET', '/readyz')).status).toBe(200);
    most = Math.max(most, await countHanging());
  }
  expect(reads).toBeGreaterThan(20);
  expect(new Set((await done).map(({ status }) => status))).toEqual(new Set([503]));
  // Three of the six connections are for writes of requests, and two for those of the process itself.
  expect(most).toBeLessThan(connections);
  // What hangs keeps its connection, and no other one is opened in its place.
  expect(await countHanging()).toBeLessThan(connections);
  await setStandbys('');
  for (const scene of sites) expect((await scene.master.rest('GET', '/changes')).status).toBe(200);
  expect((await master.rest('POST', '/channels/articles/entries', { body: {} })).status).toBe(201);
});

test('a feed without new changes is read while no standby confirms commits', async () => {
  const service = await startWith(6);
  const { site, master } = await buildScene(service);
  const first = await master.rest('GET', '/changes');
  expect(first.status).toBe(200);
  await setStandbys('away');
  const writes = ['a', 'b', 'c'].map((slug) => {
    return master.rest('POST', '/channels/articles/entries', { body: { slug }, headers: { 'Idempotency-Key': slug } });
  });
  // All that writes of one caller may have.
  await untilHanging(writes.length - 1);
  for (const token of [site.master, site.public]) {
    expect((await as(service.app, { token }).rest('GET', '/changes')).status).toBe(200);
  }
  await setStandbys('');
  await Promise.all(writes);
});

test('SIGTERM while transactions wait for a standby: the process ends in time', async () => {
  const preparing = await startWith(4);
  const { site } = await buildScene(preparing);
  const service = await serve({ DATABASE_URL: server.url });
  const exited = new Promise<number | null>((resolve) => service.child.once('exit', resolve));
  const master = as(service, { token: site.master });
  expect((await master.rest('GET', '/channels/articles/entries/here')).status).toBe(200);
  await setStandbys('away');
  const headers = { 'Idempotency-Key': 'a' };
  void master.rest('POST', '/channels/articles/entries', { body: {}, headers }).catch(() => undefined);
  void master.rest('GET', '/changes').catch(() => undefined);
  await untilHanging(2);
  service.child.kill('SIGTERM');
  expect(await Promise.race([exited, sleep(30_000, 'it goes on')])).toBe(0);
});
