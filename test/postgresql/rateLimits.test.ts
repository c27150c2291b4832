// Several processes share the limits: what one counted, the others know about a second later.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPostgresql } from '../../src/database/postgresql.ts';
import type { PlainDatabase } from '../../src/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as } from '../support/as.ts';
import { buildChannel, buildSite, type TestSite } from '../support/build.ts';
import { testDatabaseUrl, type ServerDatabase } from '../support/db.ts';

const limits = { RATE_LIMIT_TOKEN: '1', RATE_LIMIT_ADDRESS: '20' };

let server: ServerDatabase;
let databases: PlainDatabase[];
let apps: TestApp[];
let site: TestSite;
beforeAll(async () => {
  server = await testDatabaseUrl();
  const open = () => openPostgresql({ databaseUrl: server.url, databasePool: 5 });
  databases = [await open(), await open()];
  apps = await Promise.all(databases.map((database) => startApp(limits, database)));
  const [{ prisma }] = databases as [PlainDatabase];
  site = await buildSite(prisma);
  await buildChannel(prisma, site.id, { id: 'articles' });
});
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()));
  await Promise.all(databases.map((database) => database.close()));
  await server.drop();
});

test('what one instance counted is missing at the other within two seconds, and is counted once', async () => {
  const [one, other] = apps as [TestApp, TestApp];
  const read = async (app: TestApp) => {
    const { status, headers } = await as(app, { token: site.public }).rest('GET', '/channels/articles/entries');
    return { status, left: Number(headers.get('ratelimit-remaining')) };
  };
  for (let index = 0; index < 12; index += 1) await read(one);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  // 20 − 12 − this one. An instance's own message does not count a second time.
  expect(await read(other)).toEqual({ status: 200, left: 7 });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await read(one)).toEqual({ status: 200, left: 6 });
  for (let index = 0; index < 6; index += 1) expect((await read(one)).status).toBe(200);
  expect((await read(one)).status).toBe(429);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect((await read(other)).status).toBe(429);
});
