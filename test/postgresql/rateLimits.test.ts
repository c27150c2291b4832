// Several processes share the limits: each knows the counts of the others about a second later.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPostgresql } from '../../src/database/open/postgresql.ts';
import type { PlainDatabase } from '../../src/database/database.ts';
import { addRateCounts, deleteEndedRates } from '../../src/admission/rateCounts.ts';
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

interface Answer {
  readonly status: number;
  readonly left: number;
}

async function read(app: TestApp): Promise<Answer> {
  const { status, headers } = await as(app, { token: site.public }).rest('GET', '/channels/articles/entries');
  return { status, left: Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]) };
}

const pass = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2_000));

test('operations that one instance counted reduce the rest at the other within two seconds, once', async () => {
  const [one, other] = apps as [TestApp, TestApp];
  for (let index = 0; index < 12; index += 1) await read(one);
  await pass();
  // 20 − 12 − this one: half of the limit was passed, so that everybody was told. An instance's own counts do not count twice.
  expect(await read(other)).toEqual({ status: 200, left: 7 });
  await pass();
  // What the other one has counted since is heard of with the next count that is told.
  expect(await read(one)).toEqual({ status: 200, left: 7 });
  await pass();
  expect(await read(one)).toEqual({ status: 200, left: 5 });
  for (let index = 0; index < 5; index += 1) expect((await read(one)).status).toBe(200);
  expect((await read(one)).status).toBe(429);
  await pass();
  expect((await read(other)).status).toBe(429);
});

test('a rate window that has ended begins again with its next count, and is deleted otherwise', async () => {
  const [{ prisma }] = databases as [PlainDatabase];
  const count = { name: 'token', key: 'a', limit: 1_000 } as const;
  const [begun] = await addRateCounts(prisma, [{ ...count, operations: 3 }]);
  expect(begun?.operations).toBe(3);
  expect(begun?.milliseconds).toBeGreaterThan(59_000);
  expect(await addRateCounts(prisma, [{ ...count, operations: 4 }])).toMatchObject([{ operations: 7 }]);
  await prisma.rateCount.updateMany({ data: { endsAt: new Date(0) }, where: { key: 'a' } });
  expect(await addRateCounts(prisma, [{ ...count, operations: 5 }])).toMatchObject([{ operations: 5 }]);
  await prisma.rateCount.updateMany({ data: { endsAt: new Date(0) } });
  await addRateCounts(prisma, [{ ...count, operations: 1 }]);
  expect(await deleteEndedRates(prisma, 500)).toBeGreaterThan(0);
  expect(await prisma.rateCount.findMany()).toMatchObject([{ key: 'a', operations: 1 }]);
});

test('a rate window that ends far ahead, after the clock stepped back, begins again, and is deleted otherwise', async () => {
  const [{ prisma }] = databases as [PlainDatabase];
  const count = { name: 'token', key: 'c', limit: 1_000, operations: 2_000 } as const;
  await addRateCounts(prisma, [count]);
  const where = { key: 'c' };
  const farEnd = new Date(Date.now() + 3_600_000);
  await prisma.rateCount.updateMany({ data: { endsAt: farEnd }, where });
  const [again] = await addRateCounts(prisma, [{ ...count, operations: 3 }]);
  expect(again?.operations).toBe(3);
  // The end is stored in whole milliseconds.
  expect(again?.milliseconds).toBeLessThan(60_001);
  await prisma.rateCount.updateMany({ data: { endsAt: farEnd }, where });
  await deleteEndedRates(prisma, 500);
  expect(await prisma.rateCount.findMany({ where })).toEqual([]);
});

test('processes are notified when half of a rate limit is passed, and when the limit is, and not otherwise', async () => {
  const [{ prisma }, other] = databases as [PlainDatabase, PlainDatabase];
  const heard: string[][] = [];
  const feed = await other.watch(
    (change) => heard.push(change),
    () => undefined,
  );
  for (const operations of [4, 1, 4, 1, 1, 5]) {
    await addRateCounts(prisma, [{ name: 'token', key: 'b', limit: 10, operations }]);
  }
  await feed.settle();
  await feed.close();
  expect(heard.filter(([, , key]) => key === 'b').map(([topic, name, , total]) => [topic, name, total])).toEqual([
    ['rate_limits', 'token', '5'],
    ['rate_limits', 'token', '11'],
  ]);
});
