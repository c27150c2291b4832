// The traps of the stock adapter for PostgreSQL: each shown, so that we learn when it is mended, and shown not to be ours.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { openPostgresql } from '../../src/database/postgresql.ts';
import { PrismaClient } from '../../src/generated/prisma/client.ts';
import { emptyDatabaseUrl, testDatabaseUrl } from '../support/db.ts';
import type { ServerDatabase } from '../support/db.ts';
import { safePg } from '../support/schema-engine.ts';

let database: ServerDatabase;
let stock: SqlDriverAdapter;
let ours: SqlDriverAdapter;
let pool: pg.Pool;

beforeEach(async () => {
  database = await emptyDatabaseUrl();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
  stock = await new PrismaPg(database.url).connect();
  ours = await safePg(pool).connect();
});

afterEach(async () => {
  await stock.dispose();
  await pool.end();
  await database.drop();
});

async function values(adapter: SqlDriverAdapter, sql: string): Promise<unknown[]> {
  return (await adapter.queryRaw({ sql, args: [], argTypes: [] })).rows.flat();
}

describe('scripts', () => {
  const withBody = `CREATE FUNCTION "f"() RETURNS INTEGER LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 2; END $$;`;
  const broken = 'CREATE TABLE "a" (); SELECT * FROM "nowhere";';

  test('trap: the stock adapter cuts them at each semicolon, in bodies too, and leaves the first half of one that fails', async () => {
    await expect(stock.executeScript(withBody)).rejects.toThrow();
    await expect(stock.executeScript(broken)).rejects.toThrow();
    expect(await values(stock, `SELECT to_regclass('a') IS NOT NULL`)).toEqual([true]);
  });

  test('ours runs them whole or not at all', async () => {
    await ours.executeScript(withBody);
    expect(await values(ours, 'SELECT "f"()')).toEqual([2]);
    await expect(ours.executeScript(broken)).rejects.toMatchObject({ cause: { kind: 'postgres', code: '42P01' } });
    expect(await values(ours, `SELECT to_regclass('a') IS NOT NULL`)).toEqual([false]);
  });
});

describe('the shadow database', () => {
  const which = 'SELECT current_database()::text';
  const count = `SELECT count(*)::int FROM pg_database WHERE datname LIKE '%shadow%'`;

  test('trap: the stock adapter gives the real database for one', async () => {
    const shadow = await new PrismaPg(database.url).connectToShadowDb();
    expect(await values(shadow, which)).toEqual(await values(stock, which));
    await shadow.dispose();
  });

  test('ours is another, and leaves the server as it was', async () => {
    const before = await values(stock, count);
    const shadow = await safePg(pool).connectToShadowDb();
    expect(await values(shadow, which)).not.toEqual(await values(stock, which));
    expect(await values(stock, count)).toEqual(before);
    await shadow.dispose();
  });
});

describe('"char" columns, which the catalogue has', () => {
  const query = { sql: `SELECT 'c'::"char" AS "type"`, args: [], argTypes: [] };

  test('trap: the stock adapter cannot read them', async () => {
    await expect(stock.queryRaw(query)).rejects.toMatchObject({ cause: { kind: 'UnsupportedNativeDataType' } });
  });

  test('ours reads them as characters', async () => {
    expect(await ours.queryRaw(query)).toMatchObject({ columnTypes: [ColumnTypeEnum.Character], rows: [['c']] });
  });
});

describe('a server that is set to another time zone', () => {
  const noon = new Date('2026-01-02T12:00:00.000Z');
  let other: ServerDatabase;

  beforeEach(async () => {
    other = await testDatabaseUrl();
    const client = new pg.Client(other.url);
    await client.connect();
    await client.query(`
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = ''Asia/Tokyo''', current_database()); END $$;
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET DateStyle = ''German''', current_database()); END $$;
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET bytea_output = ''escape''', current_database()); END $$;
      INSERT INTO "sites" VALUES ('a', 'A', '2026-01-02T12:00:00Z')`);
    await client.end();
  });

  afterEach(() => other.drop());

  test('trap: the stock adapter takes its times for UTC', async () => {
    const prisma = new PrismaClient({ adapter: new PrismaPg(`${other.url}?options=-c%20DateStyle%3DISO`) });
    const site = await prisma.site.findUniqueOrThrow({ where: { id: 'a' } });
    expect(site.createdAt).not.toEqual(noon);
    await prisma.$disconnect();
  });

  test('ours gives the very moment, and bytes as they are', async () => {
    const open = await openPostgresql({ databaseUrl: `${other.url}?options=-c%20work_mem%3D5MB`, databasePool: 1 });
    const { createdAt } = await open.prisma.site.findUniqueOrThrow({ where: { id: 'a' } });
    expect(createdAt).toEqual(noon);
    const token = { id: '0198c0de-0000-7000-8000-000000000001', kind: 'master', siteId: 'a', createdAt: noon } as const;
    await open.prisma.token.create({ data: { ...token, hash: Uint8Array.of(0, 92, 255) } });
    const read = await open.prisma.token.findFirstOrThrow();
    expect(Array.from(read.hash)).toEqual([0, 92, 255]);
    // The options of the URL itself hold against ours for plans, of which the others do.
    expect(await open.prisma.$queryRaw`SHOW work_mem`).toEqual([{ work_mem: '5MB' }]);
    expect(await open.prisma.$queryRaw`SHOW jit`).toEqual([{ jit: 'off' }]);
    await open.close();
  });
});
