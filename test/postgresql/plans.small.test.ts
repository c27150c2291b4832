// The plans of lists in small channels: a page is read in its order, and the rest of the channel is not sorted for it.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type pg from 'pg';
import { createArticles, loadArticles } from '../../bench/content.mjs';
import type { PlainDatabase } from '../../src/database/database.ts';
import { openPostgresql } from '../../src/database/postgresql.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as } from '../support/as.ts';
import { buildSite, type TestSite } from '../support/build.ts';
import { testDatabaseUrl, type ServerDatabase } from '../support/db.ts';
import { expectData } from '../support/expect.ts';
import { countVisited, explainRequest, MarkedClient } from '../support/plans.ts';

const size = 400;

let copy: ServerDatabase;
let database: PlainDatabase;
let app: TestApp;
let site: TestSite;
let client: pg.Client;

beforeAll(async () => {
  copy = await testDatabaseUrl();
  database = await openPostgresql({ databaseUrl: copy.url, databasePool: 2 });
  app = await startApp({}, database);
  client = new MarkedClient(copy.url);
  await client.connect();
  site = await buildSite(database.prisma);
  const master = as(app, { token: site.master });
  for (const id of ['articles', 'news']) {
    await createArticles(async (...document) => expectData(await master.gql(...document)), id, {
      acl: { read: 'PUBLIC' },
    });
    await loadArticles(client, id, size);
  }
  await client.query('VACUUM ANALYZE');
});
afterAll(async () => {
  await client.end();
  await app.close();
  await database.close();
  await copy.drop();
});

test.each(['', '&sort=-_publish_at', '&sort=created_at'])('a page of 30%s does not sort the channel', async (sort) => {
  const visitor = as(app, { token: site.public });
  const { plans, answer } = await explainRequest(client, database, () =>
    visitor.rest<unknown[]>('GET', `/channels/articles/entries?per_page=30${sort}`, {
      headers: { Prefer: 'count=none' },
    }),
  );
  expect(answer.status).toBe(200);
  expect(answer.body).toHaveLength(30);
  expect(Math.max(...plans.map(countVisited))).toBeLessThan(size / 4);
});
