// Reads that standbys answer (docs/contract.md §13.7): a primary with two streaming standbys, one of them reached by a relay that
// can fall silent. The servers are this file's own.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { findBinaries, startServer, type OwnServer } from '../../scripts/postgresql.mjs';
import type { PlainDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrations/migrate.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as, type Caller } from '../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, type TestSite } from '../support/build.ts';
import { openPlain } from '../support/db.ts';
import { readMetrics } from '../support/monitoring.ts';
import { startRelay, type Relay } from '../support/relay.ts';

const maxLag = 2_000;
const articles = '/channels/articles/entries';

let primary: OwnServer;
let standbys: [OwnServer, OwnServer];
let clients: [pg.Client, pg.Client, pg.Client];
let relay: Relay;
let site: TestSite;
/** Another process: it knows of no standbys. */
let writer: TestApp;
let reader: TestApp;
/** One that takes a standby for good enough for a minute. */
let patient: TestApp;
let visitor: Caller;
let master: Caller;
const opened: PlainDatabase[] = [];

async function open(replicas: { urls: string[]; maxLag: number } | null): Promise<PlainDatabase> {
  const database = await openPlain({ databaseUrl: primary.url, databasePool: 5, dataDir: '', replicas });
  opened.push(database);
  return database;
}

async function connect({ url }: OwnServer): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

beforeAll(async () => {
  const bin = findBinaries();
  if (bin === null) throw new Error('These tests need PostgreSQL.');
  primary = await startServer(bin);
  const database = await open(null);
  await migrate(database);
  standbys = [await startServer(bin, { standbyOf: primary.url }), await startServer(bin, { standbyOf: primary.url })];
  clients = [await connect(primary), await connect(standbys[0]), await connect(standbys[1])];
  relay = await startRelay(standbys[0].url);
  site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles', createScope: 'public' });
  writer = await startApp({ RATE_LIMIT: 'off' }, database);
  reader = await startApp(
    { RATE_LIMIT: 'off', METRICS_PORT: '0' },
    await open({ urls: [relay.url, standbys[1].url], maxLag }),
  );
  patient = await startApp({ RATE_LIMIT: 'off' }, await open({ urls: standbys.map(({ url }) => url), maxLag: 60_000 }));
  visitor = as(reader, { token: site.public });
  master = as(writer, { token: site.master });
});

afterAll(async () => {
  for (const app of [patient, reader, writer]) await app.close();
  for (const database of opened) await database.close();
  for (const client of clients) await client.end().catch(() => undefined);
  await relay.close();
  for (const server of [...standbys, primary]) await server.stop();
});

/** The samples of a metric, by their only label. */
async function samples(name: string): Promise<Record<string, number>> {
  const found = (await readMetrics(reader)).filter((sample) => sample.name === name);
  return Object.fromEntries(found.map(({ labels, value }) => [Object.values(labels)[0] ?? '', value]));
}

const reads = () => samples('entryway_replica_reads_total');

/** Waits for something that is true in the end. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = performance.now() + 60_000; !(await condition());) {
    if (performance.now() > giveUpAt) throw new Error('It did not come true within a minute.');
    await sleep(20);
  }
}

/** Reads until a standby has answered once more. */
async function untilReplicaAnswers(number: string): Promise<void> {
  const { [number]: before = 0 } = await reads();
  await until(async () => {
    expect((await visitor.rest('GET', articles)).status).toBe(200);
    return ((await reads())[number] ?? 0) > before;
  });
}

/** Stops what both standbys take over from the primary, once they have everything, and the patient reader knows it. */
async function pause(): Promise<void> {
  const { rows } = await clients[0].query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn');
  // A record behind that position, which may lie behind the header of a page.
  await clients[0].query(`SELECT pg_logical_emit_message(TRUE, 'entryway', '')`);
  for (const client of clients.slice(1)) {
    const hasAll = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS "all"';
    await until(async () => (await client.query<{ all: boolean }>(hasAll, [rows[0]?.lsn])).rows[0]?.all === true);
  }
  const answered = (): number[] => patient.database.replicas?.readState().replicas.map((state) => state.reads) ?? [];
  const before = answered();
  await until(async () => {
    await as(patient, { token: site.public }).rest('GET', articles);
    return answered().every((count, at) => count > (before[at] ?? 0));
  });
  for (const client of clients.slice(1)) {
    await client.query('SELECT pg_wal_replay_pause()');
    await until(async () => {
      const { rows } = await client.query<{ state: string }>('SELECT pg_get_wal_replay_pause_state() AS state');
      return rows[0]?.state === 'paused';
    });
  }
}

async function resume(): Promise<void> {
  for (const client of clients.slice(1)) await client.query('SELECT pg_wal_replay_resume()');
}

describe('callers that standbys answer', () => {
  test('reads of a public token without a session are answered by standbys in turn', async () => {
    await untilReplicaAnswers('1');
    await untilReplicaAnswers('2');
    const { id } = await buildEntry(
      writer.database.prisma,
      await writer.database.prisma.channel.findFirstOrThrow({ where: { siteId: site.id } }),
      { slug: 'first' },
    );
    await until(async () => (await visitor.rest('GET', `${articles}/first`)).status === 200);
    const before = await reads();
    for (const path of [`${articles}/${id}`, `${articles}/count`]) await visitor.rest('GET', path);
    await visitor.gql('{ entries(channel: "articles") { nodes { id } totalCount } }');
    const after = await reads();
    const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((all, each) => all + each, 0);
    expect(sum(after) - sum(before)).toBeGreaterThanOrEqual(3);
  });

  test('other callers, the feed and writes are not answered by standbys', async () => {
    const { session } = await buildCustomer(writer.database.prisma, site.id);
    const callers = [as(reader, { token: site.master }), as(reader, { token: site.public, session })];
    const before = await reads();
    for (const caller of callers) {
      expect((await caller.rest('GET', articles)).status).toBe(200);
      expect((await caller.gql('{ entries(channel: "articles") { totalCount } }')).errors).toBeUndefined();
    }
    expect((await visitor.rest('GET', '/changes')).status).toBe(200);
    expect((await visitor.rest('PATCH', `${articles}/nobody`, { body: {} })).status).toBe(404);
    expect((await visitor.gql('{ channels { id } }')).errors).toBeUndefined();
    expect(await reads()).toEqual(before);
  });

  test('standbys of a primary without writes are in use, and report no lag', async () => {
    await clients[0].query('SELECT pg_switch_wal()');
    await sleep(maxLag);
    await untilReplicaAnswers('1');
    await untilReplicaAnswers('2');
    expect((await samples('entryway_replica_lag_seconds'))['2']).toBeLessThan(maxLag / 1_000);
  });
});

describe('standbys that do not keep up', () => {
  afterEach(async () => {
    await resume();
    await untilReplicaAnswers('1');
    await untilReplicaAnswers('2');
  });

  test('lagging standbys show nothing older than the bound: access that was taken away ends by then', async () => {
    expect((await master.rest('POST', articles, { body: { slug: 'leaving' } })).status).toBe(201);
    await until(async () => (await visitor.rest('GET', `${articles}/leaving`)).status === 200);
    await untilReplicaAnswers('1');
    await pause();
    const body = { _acl: { '*': { read: false } } };
    expect((await master.rest('PATCH', `${articles}/leaving`, { body })).status).toBe(200);
    const revokedAt = performance.now();
    let late = 0;
    await until(async () => {
      const begunAt = performance.now();
      const { status } = await visitor.rest('GET', `${articles}/leaving`);
      const isLate = begunAt - revokedAt > maxLag;
      expect([isLate ? 'late' : 'early', status]).toEqual(isLate ? ['late', 404] : ['early', expect.any(Number)]);
      expect([200, 404]).toContain(status);
      late += isLate ? 1 : 0;
      return late === 20;
    });
    const lags = await samples('entryway_replica_lag_seconds');
    expect(Math.min(lags['1'] ?? 0, lags['2'] ?? 0)).toBeGreaterThan(maxLag / 1_000);
  });

  test('lagging standbys do not answer a caller that has just written through this process', async () => {
    await pause();
    const author = as(patient, { token: site.public });
    const { body } = await author.rest<{ count: number }>('GET', `${articles}/count`);
    for (let written = 1; written <= 3; written += 1) {
      const created = await author.rest<{ id: string }>('POST', articles, { body: { slug: `comment-${written}` } });
      expect(created.status).toBe(201);
      expect((await author.rest('GET', `${articles}/${created.body.id}`)).status).toBe(200);
      expect((await author.rest('GET', `${articles}/count`)).body).toEqual({ count: body.count + written });
    }
  });

  test('lagging standbys do not show an entry that was hidden before its channel was opened', async () => {
    const prisma = writer.database.prisma;
    const channel = await buildChannel(prisma, site.id, { id: 'closed', readScope: 'none' });
    await buildEntry(prisma, channel, { slug: 'public' });
    await buildEntry(prisma, channel, { slug: 'secret' });
    await pause();
    const body = { _acl: { '*': { read: false } } };
    expect((await master.rest('PATCH', '/channels/closed/entries/secret', { body })).status).toBe(200);
    expect((await master.rest('PATCH', '/channels/closed', { body: { acl: { read: 'public' } } })).status).toBe(200);
    const curious = as(patient, { token: site.public });
    let seen = 0;
    await until(async () => {
      expect((await curious.rest('GET', '/channels/closed/entries/secret')).status).toBe(404);
      const list = await curious.rest<{ slug: string }[]>('GET', '/channels/closed/entries');
      const slugs = list.status === 200 ? list.body.map(({ slug }) => slug) : [];
      expect(slugs).not.toContain('secret');
      seen += slugs.includes('public') ? 1 : 0;
      return seen === 5;
    });
  });
});

test('servers that are no standbys of the primary answer nothing, and the log says why', async () => {
  const lines: string[] = [];
  const template = Object.assign(new URL(standbys[1].url), { pathname: '/template1' }).href;
  const urls = [primary.url, template, process.env['TEST_DATABASE_URL'] ?? ''];
  const app = await startApp({ RATE_LIMIT: 'off' }, await open({ urls, maxLag }), (line) => lines.push(line));
  const reasons = (): string[] =>
    lines
      .map((line) => JSON.parse(line) as { msg: string; replica: number; err?: { message: string } })
      .filter(({ msg }) => msg === 'replica is not used')
      .map(({ replica, err }) => `${replica}: ${err?.message ?? ''}`)
      .sort();
  await until(() => Promise.resolve(reasons().length >= urls.length));
  expect(reasons()).toEqual([
    '1: it is not a streaming standby',
    '2: its database is not the one in DATABASE_URL',
    '3: it is not a copy of the server in DATABASE_URL',
  ]);
  expect((await as(app, { token: site.public }).rest('GET', articles)).status).toBe(200);
  expect(app.database.replicas?.readState().replicas.map(({ reads: answered }) => answered)).toEqual([0, 0, 0]);
  await app.close();
});

describe('standbys that go away', () => {
  /** Reads from several clients until something is done. @returns the statuses of the answers */
  async function readWhile(work: () => Promise<unknown>): Promise<Set<number>> {
    const statuses = new Set<number>();
    const state = { isDone: false };
    const readers = Array.from({ length: 6 }, async () => {
      while (!state.isDone) statuses.add((await visitor.rest('GET', articles)).status);
    });
    try {
      await work();
    } finally {
      state.isDone = true;
      await Promise.all(readers);
    }
    return statuses;
  }

  test('a standby that falls silent causes no error: the primary answers instead', async () => {
    await untilReplicaAnswers('1');
    const statuses = await readWhile(async () => {
      relay.freeze();
      await until(async () => ((await samples('entryway_replica_lag_seconds'))['1'] ?? 0) > maxLag / 1_000);
      await untilReplicaAnswers('2');
      relay.thaw();
      await untilReplicaAnswers('1');
    });
    expect(statuses).toEqual(new Set([200]));
  });

  test('standbys that die one after the other, and come back, cause no error', async () => {
    const statuses = await readWhile(async () => {
      for (const standby of standbys) {
        await standby.vanish();
        await until(async () => (await visitor.rest('GET', articles)).status === 200);
      }
      const { primary: before = 0 } = await reads();
      await until(async () => ((await reads())['primary'] ?? 0) > before + 20);
      await standbys[1].restart();
      await untilReplicaAnswers('2');
    });
    expect(statuses).toEqual(new Set([200]));
  });
});
