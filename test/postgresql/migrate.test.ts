// Migrating a database on a server: by several processes at once, and when the connection is lost in the middle.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { PlainDatabase } from '../../src/database/database.ts';
import { MigrationError, migrate, migrationStatus } from '../../src/database/migrations/migrate.ts';
import { migrationsDirectory, readMigrations } from '../../src/database/migrations/migrationStatus.ts';
import { openPostgresql } from '../../src/database/open/postgresql.ts';
import { emptyDatabaseUrl } from '../support/db.ts';
import type { ServerDatabase } from '../support/db.ts';
import { migrationsFolder, removeScratch } from '../support/scratch.ts';

let server: ServerDatabase;
let instances: PlainDatabase[];
let administrator: pg.Client;

beforeEach(async () => {
  server = await emptyDatabaseUrl();
  const open = (): Promise<PlainDatabase> => openPostgresql({ databaseUrl: server.url, databasePool: 1 });
  instances = await Promise.all(Array.from({ length: 6 }, open));
  administrator = new pg.Client(server.url);
  await administrator.connect();
});

afterEach(async () => {
  await administrator.end();
  await Promise.all(instances.map((instance) => instance.close()));
  await server.drop();
  removeScratch();
});

function only(): PlainDatabase {
  const [first] = instances;
  if (first === undefined) throw new Error('there is no instance');
  return first;
}

test('of several instances that start at once, one migrates, and the others find nothing left to do', async () => {
  const names = readMigrations(migrationsDirectory).map(({ name }) => name);
  const applied = await Promise.all(instances.map((instance) => migrate(instance)));
  expect(applied.filter((each) => each.length > 0)).toEqual([names]);
  const { rows } = await administrator.query('SELECT "migration_name" AS "name" FROM "_prisma_migrations"');
  expect(rows).toEqual(names.map((name) => ({ name })));
  const locks = await administrator.query(`SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE l.locktype = 'advisory' AND d.datname = current_database()`);
  expect(locks.rowCount).toBe(0);
});

test('a migration waits while another process holds the lock of Prisma, and then runs', async () => {
  const directory = migrationsFolder({ '1_first': 'CREATE TABLE "a" ()' });
  await administrator.query('SELECT pg_advisory_lock(72707369)');
  const migrating = migrate(only(), { directory });
  await sleep(500);
  expect(await migrationStatus(only(), { directory })).toMatchObject([{ state: 'pending' }]);
  await administrator.query('SELECT pg_advisory_unlock(72707369)');
  expect(await migrating).toEqual(['1_first']);
});

test('a migration whose connection is lost leaves nothing, blocks nothing, and fails with advice', async () => {
  const slow =
    "CREATE TABLE \"a\" (); SELECT pg_sleep(CASE WHEN current_setting('application_name') = 'quick' THEN 0 ELSE 60 END);";
  const directory = migrationsFolder({ '1_first': 'CREATE TABLE "b" ()', '2_slow': slow });
  const migrating = migrate(only(), { directory }).catch((error: unknown) => error);
  const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(CASE%' AND pid <> pg_backend_pid() AND datname = current_database()`;
  while ((await administrator.query(kill)).rowCount === 0) await sleep(20);
  const error = await migrating;
  expect(error).toBeInstanceOf(MigrationError);
  expect((error as Error).message).toMatch(/2_slow was cut off.*start again/);
  expect(await migrationStatus(only(), { directory })).toMatchObject([{ state: 'applied' }, { state: 'pending' }]);

  const quick = await openPostgresql({ databaseUrl: `${server.url}?application_name=quick`, databasePool: 1 });
  instances.push(quick);
  expect(await migrate(quick, { directory })).toEqual(['2_slow']);
});

test('a migration that waits for the lock of another transaction releases its own locks meanwhile', async () => {
  const first = { '1_first': 'CREATE TABLE "a" (); CREATE TABLE "b" ()' };
  await migrate(only(), { directory: migrationsFolder(first) });
  const changing = 'ALTER TABLE "a" ADD COLUMN "x" INT; ALTER TABLE "b" ADD COLUMN "x" INT';
  const directory = migrationsFolder({ ...first, '2_changing': changing });
  await administrator.query('BEGIN; SELECT FROM "b"');
  const migrating = migrate(only(), { directory });
  const reader = new pg.Client(server.url);
  await reader.connect();
  try {
    // It holds the other table while it waits, and for no longer: whoever reads that one goes on.
    const isHeld = `SELECT FROM pg_locks WHERE NOT granted AND relation = '"b"'::regclass`;
    while ((await reader.query(isHeld)).rowCount === 0) await sleep(20);
    await reader.query('SELECT FROM "a"');
    expect(await migrationStatus(only(), { directory })).toMatchObject([{ state: 'applied' }, { state: 'pending' }]);
  } finally {
    await administrator.query('COMMIT');
    await reader.end();
  }
  expect(await migrating).toEqual(['2_changing']);
});
