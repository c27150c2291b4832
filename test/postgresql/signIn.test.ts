// Several processes: failures are counted by all of them together, and a sign-in that one ends has ended for all.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PlainDatabase } from '../../src/database/database.ts';
import { openPostgresql } from '../../src/database/open/postgresql.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as } from '../support/as.ts';
import { buildSite } from '../support/build.ts';
import { testDatabaseUrl, type ServerDatabase } from '../support/db.ts';
import { Browser, buildPerson } from '../support/signIn.ts';

let server: ServerDatabase;
let databases: PlainDatabase[];
let one: TestApp;
let other: TestApp;
beforeAll(async () => {
  server = await testDatabaseUrl();
  const open = () => openPostgresql({ databaseUrl: server.url, databasePool: 5 });
  databases = [await open(), await open()];
  [one, other] = (await Promise.all(databases.map((database) => startApp({}, database)))) as [TestApp, TestApp];
});
afterAll(async () => {
  await Promise.all([one, other].map((app) => app.close()));
  await Promise.all(databases.map((database) => database.close()));
  await server.drop();
});

test('ten wrong passwords are ten at all processes together, also at the same time', async () => {
  const { email } = await buildPerson(one.database.prisma);
  const tries = [one, other].flatMap((app) => Array.from({ length: 8 }, () => new Browser(app)));
  const statuses = await Promise.all(
    tries.map(async (browser) => (await browser.post('sign-in', { email, password: 'wrong, I guess' })).status),
  );
  expect([401, 429].map((wanted) => statuses.filter((status) => status === wanted).length)).toEqual([10, 6]);
});

test('a sign-in that ended at one process ends at the other within a second, with its tokens', async () => {
  const site = await buildSite(one.database.prisma);
  const person = await buildPerson(one.database.prisma, { memberOf: [site.id] });
  const browser = new Browser(one);
  const { body } = await browser.signIn(person);
  const statusOf = async (): Promise<number> =>
    (await as(other, { token: body.token, site: site.id }).rest('GET', '/channels')).status;
  expect(await statusOf()).toBe(200);
  await browser.post('sign-out');
  const begun = performance.now();
  let status = await statusOf();
  while (status !== 401 && performance.now() - begun < 1_000) status = await statusOf();
  expect(status).toBe(401);
});
