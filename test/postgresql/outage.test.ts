// The database goes away and comes back: 503 meanwhile, and no restart after it.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as, type Caller } from '../support/as.ts';
import { buildChannel, buildSite } from '../support/build.ts';
import { testDatabaseUrl } from '../support/db.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';

let proxy: Proxy;
let drop: () => Promise<void>;
let database: Database;
let app: TestApp;
let master: Caller;

beforeAll(async () => {
  const fresh = await testDatabaseUrl();
  drop = fresh.drop;
  proxy = await startProxy(fresh.url);
  database = await openDatabase({ databaseUrl: proxy.url, databasePool: 5, dataDir: '' });
  app = await startApp({}, database);
  const site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  master = as(app, { token: site.master });
});
afterAll(async () => {
  await app.close();
  await database.close();
  await proxy.close();
  await drop();
});

async function eventually(ask: () => Promise<{ status: number }>, status: number): Promise<void> {
  const until = performance.now() + 10_000;
  while ((await ask()).status !== status) {
    if (performance.now() > until) throw new Error(`It never answered ${status}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('while it is away every door says so, and when it is back all goes on', async () => {
  const create = () => master.rest('POST', '/channels/articles/entries', { body: { title: 'x' } });
  const list = () => master.rest('GET', '/channels/articles/entries');
  const ready = () => as(app).rest('GET', '/readyz');
  expect([(await create()).status, (await list()).status, (await ready()).status]).toEqual([201, 200, 200]);

  await proxy.cut();
  // The first requests may meet connections that broke; all of them are told the same.
  const answers = await Promise.all([create(), list(), create(), list(), list()]);
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
  for (const { body, headers } of answers) {
    expect(body).toMatchObject({ code: 'unavailable', status: 503 });
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  }
  const graphql = await master.gql('{ channels { id } }');
  expect(graphql.status).toBe(503);
  expect(graphql.errors?.[0]?.extensions.code).toBe('UNAVAILABLE');
  expect((await ready()).status).toBe(503);
  expect((await as(app).rest('GET', '/livez')).status).toBe(200);

  await proxy.mend();
  await eventually(list, 200);
  await eventually(create, 201);
  await eventually(ready, 200);
  const { headers } = await list();
  expect(headers.get('x-total-count')).toBe('2');
});
