// A DATABASE_URL with several servers: the one that takes writes is used, and after a failover the other one, without a restart.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries, startServer, type OwnServer } from '../../scripts/postgresql.mjs';
import { as, type Caller } from '../support/as.ts';
import { buildChannel, buildSite } from '../support/build.ts';
import { openPlain } from '../support/db.ts';
import { entryway, serve, type ServiceProcess } from '../support/process.ts';

let primary: OwnServer;
let standby: OwnServer;
let service: ServiceProcess;
let master: Caller;

beforeAll(async () => {
  const bin = findBinaries();
  if (bin === null) throw new Error('These tests need PostgreSQL.');
  primary = await startServer(bin, { isDurable: true });
  expect((await entryway(['migrate', '--json'], { DATABASE_URL: primary.url })).code).toBe(0);
  standby = await startServer(bin, { isDurable: true, standbyOf: primary.url });
  const database = await openPlain({ databaseUrl: primary.url, databasePool: 2, dataDir: '' });
  const site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  await database.close();
  // The standby first: it takes no writes, and is passed over.
  const hosts = [standby, primary].map(({ url }) => new URL(url).host).join(',');
  service = await serve({ DATABASE_URL: `postgresql://postgres@${hosts}/postgres?target_session_attrs=read-write` });
  master = as(service, { token: site.master });
});

afterAll(async () => {
  service.child.kill('SIGKILL');
  await Promise.all([primary.stop(), standby.stop()]);
});

const path = '/channels/articles/entries';

/** Runs a statement on the standby until it gives true. */
async function until(statement: string): Promise<void> {
  for (const giveUpAt = performance.now() + 30_000; performance.now() < giveUpAt;) {
    const client = new pg.Client(standby.url);
    await client.connect();
    const { rows } = await client.query<{ done: boolean }>(statement);
    await client.end();
    if (rows[0]?.done) return;
    await sleep(100);
  }
  throw new Error(`${statement} did not become true`);
}

test('a failover needs no restart, and loses nothing that had reached the standby', async () => {
  expect((await master.rest('POST', path, { body: { slug: 'before' } })).status).toBe(201);
  await until(`SELECT count(*) = 1 AS done FROM entries WHERE slug = 'before' -- test: has arrived`);
  await primary.crash();
  await until('SELECT pg_promote() AS done');
  let status = 0;
  for (const giveUpAt = performance.now() + 30_000; status !== 201 && performance.now() < giveUpAt;) {
    ({ status } = await master.rest('POST', path, { body: { slug: 'after' } }));
    expect([201, 503]).toContain(status);
  }
  const { body } = await master.rest<{ slug: string }[]>('GET', `${path}?sort=created_at`);
  expect(body.map(({ slug }) => slug)).toEqual(['before', 'after']);
  expect((await master.rest('GET', '/readyz')).status).toBe(200);
});
