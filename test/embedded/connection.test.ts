// The single connection of the embedded database: sharing it, sessions that have it alone, and maintenance of its
// files.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlainDatabase, SqlSession } from '../../src/database/database.ts';
import { maintain } from '../../src/database/maintenance.ts';
import { threadedDatabase } from '../support/db.ts';

const createdAt = new Date();

let database: PlainDatabase;

beforeAll(async () => {
  database = await threadedDatabase();
});

afterAll(() => database.close());

test('the embedded database has shared buffers of 32 MB and a statistics target of 25', async () => {
  const read = (name: string) => database.prisma.$queryRawUnsafe(`SHOW ${name} -- test: a setting`);
  expect(await read('shared_buffers')).toEqual([{ shared_buffers: '32MB' }]);
  expect(await read('default_statistics_target')).toEqual([{ default_statistics_target: '25' }]);
});

test('a notification of a change arrives before the statement that made the change resolves', async () => {
  const changes: string[][] = [];
  const feed = await database.watch(
    (change) => changes.push(change),
    () => undefined,
  );
  await database.prisma.site.create({ data: { id: 'news', name: 'News', createdAt } });
  await database.prisma.customer.create({
    data: { siteId: 'news', id: 'anna', roles: [], createdAt, updatedAt: createdAt },
  });
  await database.prisma.customer.deleteMany({ where: { siteId: 'news' } });
  expect(changes).toEqual([['customers', 'news', 'anna']]);
  await feed.close();
});

test('a session has the connection to itself, and its open transaction is rolled back when it fails', async () => {
  const order: string[] = [];
  const session = database.session(async ({ exec }) => {
    await exec('BEGIN');
    await exec(`INSERT INTO "sites" VALUES ('torn', 'Torn', now())`);
    await sleep(50);
    order.push('session');
    throw new Error('given up');
  });
  await sleep(10);
  const count = database.prisma.site.count({ where: { id: 'torn' } }).then((found) => {
    order.push('query');
    return found;
  });
  await expect(session).rejects.toThrow('given up');
  expect(await count).toBe(0);
  expect(order).toEqual(['session', 'query']);
});

test('40 concurrent transactions queue up for the single connection, and all commit', async () => {
  const names = Array.from({ length: 40 }, (_, each) => `queued-${each}`);
  await Promise.all(
    names.map((id) =>
      database.prisma.$transaction([
        database.prisma.site.create({ data: { id, name: id, createdAt } }),
        database.prisma.site.update({ where: { id }, data: { name: 'queued' } }),
      ]),
    ),
  );
  expect(await database.prisma.site.count({ where: { name: 'queued' } })).toBe(names.length);
});

test('maintenance vacuums and analyzes only tables that changed much, and makes a checkpoint only after the log has grown', async () => {
  await database.session(async (session) => {
    await session.exec('CREATE TABLE "busy" ("n" INTEGER, "filler" TEXT); CREATE TABLE "quiet" ("n" INTEGER)');
    await session.exec(`INSERT INTO "busy" SELECT n, repeat('x', 500) FROM generate_series(1, 1000) AS n`);
    const before = await state(session);
    await maintain(session);
    const tended = await state(session);
    expect(tended.checkpoint).toBe(before.checkpoint);
    expect(tended.tables).toEqual([
      { table: 'busy', tended: true, rows: 1000 },
      { table: 'quiet', tended: false, rows: -1 },
    ]);

    for (let round = 0; round < 4; round += 1) {
      await session.exec(`INSERT INTO "busy" SELECT n, repeat('y', 500) FROM generate_series(1, 40000) AS n`);
    }
    await maintain(session);
    expect((await state(session)).checkpoint).not.toBe(before.checkpoint);
  });
});

async function state({ query }: SqlSession): Promise<{ checkpoint: string; tables: unknown[] }> {
  await query('SELECT pg_stat_force_next_flush()');
  const [control] = await query<{ checkpoint: string }>(
    'SELECT "checkpoint_lsn"::text AS "checkpoint" FROM pg_control_checkpoint()',
  );
  const tables = await query(`
    SELECT "stat"."relname"::text AS "table", "last_vacuum" IS NOT NULL AND "last_analyze" IS NOT NULL AS "tended",
           "reltuples"::int AS "rows"
    FROM pg_stat_user_tables AS "stat" JOIN pg_class AS "class" ON "class"."oid" = "stat"."relid"
    WHERE "stat"."relname" IN ('busy', 'quiet') ORDER BY 1`);
  return { checkpoint: control?.checkpoint ?? '', tables };
}

test('a transaction whose COMMIT fails is rejected, and stores nothing', async () => {
  const { prisma } = database;
  await prisma.$executeRaw`CREATE TABLE pairs (id int PRIMARY KEY, other int REFERENCES pairs (id) DEFERRABLE INITIALLY DEFERRED)`;
  const transaction = prisma.$transaction([
    prisma.$executeRaw`INSERT INTO pairs VALUES (1, 2)`,
    prisma.site.create({ data: { id: 'not-kept', name: 'Not kept', createdAt } }),
  ]);
  await expect(transaction).rejects.toThrow(/foreign key/i);
  expect(await prisma.site.count({ where: { id: 'not-kept' } })).toBe(0);
  await prisma.$transaction([
    prisma.$executeRaw`INSERT INTO pairs VALUES (1, 2)`,
    prisma.$executeRaw`INSERT INTO pairs VALUES (2, 1)`,
  ]);
  expect(await prisma.$queryRaw`SELECT count(*)::int AS count FROM pairs`).toEqual([{ count: 2 }]);
});
