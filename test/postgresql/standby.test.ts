// Writes that wait for a standby which is away. The server is this test's own: a transaction that waits for a standby after it
// has notified holds up notifications of the whole server.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { findBinaries, startServer, type OwnServer } from '../../scripts/postgresql.mjs';
import type { PlainDatabase } from '../../src/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as } from '../support/as.ts';
import { buildChannel, buildSite } from '../support/build.ts';
import { openPlain } from '../support/db.ts';
import { entryway } from '../support/process.ts';

let server: OwnServer;
let other: pg.Client;
let database: PlainDatabase;
let app: TestApp;

beforeAll(async () => {
  const bin = findBinaries();
  if (bin === null) throw new Error('These tests need PostgreSQL.');
  server = await startServer(bin, { isDurable: true });
  expect((await entryway(['migrate', '--json'], { DATABASE_URL: server.url })).code).toBe(0);
  other = new pg.Client(server.url);
  await other.connect();
  database = await openPlain({ databaseUrl: server.url, databasePool: 4, dataDir: '' });
  app = await startApp({}, database);
});

afterAll(async () => {
  await app.close();
  await database.close();
  await other.end();
  await server.stop();
});

/** Sets which standbys confirm commits, and waits until the server has taken it over. */
async function setStandbys(names: string): Promise<void> {
  await other.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await other.query('SELECT pg_reload_conf()');
  const shown = async (): Promise<unknown> => (await other.query('SHOW synchronous_standby_names')).rows;
  while (JSON.stringify(await shown()) !== JSON.stringify([{ synchronous_standby_names: names }])) await sleep(50);
}

test('writes that no standby confirms leave connections to those who read', async () => {
  const site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  const master = as(app, { token: site.master });
  await setStandbys('away');
  const writes = Array.from({ length: 8 }, () => master.rest('POST', '/channels/articles/entries', { body: {} }));
  await sleep(500);
  for (let at = 0; at < 20; at += 1) expect((await master.rest('GET', '/channels/articles/entries')).status).toBe(200);
  expect((await master.rest('GET', '/readyz')).status).toBe(200);
  const answers = await Promise.all(writes);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  expect(JSON.stringify(answers)).toContain('it may be stored');
  await setStandbys('');
  expect((await master.rest('POST', '/channels/articles/entries', { body: {} })).status).toBe(201);
});
