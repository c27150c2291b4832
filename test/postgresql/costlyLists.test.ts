// Answers to a list that PostgreSQL ends at its timeout (docs/contract.md §5.15): a 400 only where a retry cannot help.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PlainDatabase } from '../../src/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { buildEntry } from '../support/build.ts';
import { openPlain, testDatabaseUrl, type ServerDatabase } from '../support/db.ts';
import { buildScene, type Scene } from '../support/scene.ts';

let server: ServerDatabase;
let database: PlainDatabase;
let app: TestApp;
let scene: Scene;

beforeAll(async () => {
  server = await testDatabaseUrl();
  database = await openPlain({ databaseUrl: server.url, databasePool: 4, dataDir: '', statementTimeout: 2_000 });
  // 18 comparisons cost 18 times 131,072 with the 16 largest entries, and 18 times 524,288 with all 40 of them.
  app = await startApp({ FILTER_MAX_COST: '4000000' }, database);
  const fields = ['title', 'body'].map((name) => ({ name, type: 'text' as const }));
  scene = await buildScene(app, { fields });
  for (let at = 0; at < 40; at += 1) {
    await buildEntry(scene.db, scene.channel, { data: { title: 'same', body: 'x'.repeat(7_700) } });
  }
  // Searches in texts never end.
  await scene.db
    .$executeRaw`CREATE OR REPLACE FUNCTION entryway_fold("value" TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT
    PARALLEL SAFE AS 'BEGIN PERFORM pg_sleep(600); RETURN "value"; END'`;
});

afterAll(async () => {
  await app.close();
  await database.close();
  await server.drop();
});

test.each<[string, number, object]>([
  ['17 indexed comparisons, too many for the whole channel, gets 400', 17, { status: 400, code: 'too_complex' }],
  ['one indexed comparison gets 503', 1, { status: 503, code: 'unavailable' }],
])('a list that the timeout ends with %s', async (_what, count, problem) => {
  const equal = Array.from({ length: count }, () => ({ title: { eq: 'same' } }));
  const where = encodeURIComponent(JSON.stringify({ and: [...equal, { body: { contains: 'y' } }] }));
  for (const path of ['entries', 'entries/count']) {
    const answer = await scene.visitor.rest('GET', `/channels/articles/${path}?where=${where}`);
    expect(answer.body).toMatchObject(problem);
  }
});
