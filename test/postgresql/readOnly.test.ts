// A database that only reads: a service that runs goes on with reads, and tells writers 503.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as, type Caller } from '../support/as.ts';
import { buildChannel, buildSite } from '../support/build.ts';
import { testDatabaseUrl, type ServerDatabase } from '../support/db.ts';
import { expectProblem } from '../support/expect.ts';

let server: ServerDatabase;
let database: Database;
let app: TestApp;
let master: Caller;
beforeAll(async () => {
  server = await testDatabaseUrl();
  const writable = await openDatabase({ databaseUrl: server.url, databasePool: 1, dataDir: '' });
  const site = await buildSite(writable.prisma);
  await buildChannel(writable.prisma, site.id, { id: 'articles' });
  await writable.close();
  const url = new URL(server.url);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  database = await openDatabase({ databaseUrl: url.href, databasePool: 2, dataDir: '' });
  app = await startApp({}, database);
  master = as(app, { token: site.master });
});
afterAll(async () => {
  await app.close();
  await database.close();
  await server.drop();
});

test('both doors answer reads, and tell writers to come back', async () => {
  expect((await master.rest('GET', '/channels/articles/entries')).status).toBe(200);
  const create = await master.rest('POST', '/channels/articles/entries', { body: { title: 'x' } });
  expectProblem(create, 'unavailable');
  expect(create.headers.get('retry-after')).toBe('1');
  const { errors } = await master.gql('mutation { createEntry(channel: "articles", input: {}) { id } }');
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UNAVAILABLE']);
});
