// Opening a database on a server: refusals and their messages, and settings of the server that do not matter.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { migrate } from '../../src/database/migrations/migrate.ts';
import { openDatabase } from '../../src/database/open/open.ts';
import { DatabaseUnusableError } from '../../src/database/open/postgresql.ts';
import { PrismaClient } from '../../src/generated/prisma/client.ts';
import { startApp } from '../support/app.ts';
import { as } from '../support/as.ts';
import { buildChannel, buildSite } from '../support/build.ts';
import { emptyDatabaseUrl, openPlain, testDatabaseUrl } from '../support/db.ts';
import type { ServerDatabase } from '../support/db.ts';
import { expectData, expectEntry } from '../support/expect.ts';
import { entryway } from '../support/process.ts';

let server: ServerDatabase;

beforeEach(async () => {
  server = await testDatabaseUrl();
});

afterEach(() => server.drop());

function refusal(databaseUrl: string): Promise<Error> {
  return openDatabase({ databaseUrl, databasePool: 2, dataDir: '/nowhere' }).then(
    () => {
      throw new Error('it was opened');
    },
    (error: unknown) => error as Error,
  );
}

test('DATABASE_URL opens the database that it names, as the application "entryway"', async () => {
  const database = await openDatabase({ databaseUrl: server.url, databasePool: 2, dataDir: '/nowhere' });
  expect(database.kind).toBe('postgresql');
  const name = await database.session((session) =>
    session.query('SELECT current_database()::text AS "name", current_setting($1) AS "who"', ['application_name']),
  );
  expect(name).toEqual([{ name: new URL(server.url).pathname.slice(1), who: 'entryway' }]);
  await database.close();
  await database.close();
});

test('an unreachable server is refused with its address and the reason, and without the password', async () => {
  const url = Object.assign(new URL(server.url), { port: '1', password: 'geheim' }).href;
  const error = await refusal(url);
  expect(error).toBeInstanceOf(DatabaseUnusableError);
  expect(error.message).toMatch(/^The database at 127\.0\.0\.1:1\/entryway_test_\w+ cannot be used: .*ECONNREFUSED/);
  expect(error.message).not.toMatch(/geheim|\n/);
});

test('a missing database is refused with its name', async () => {
  expect((await refusal(`${server.url}_not`)).message).toMatch(/_not" does not exist/);
});

test('a database in another encoding than UTF-8 is refused', async () => {
  const client = new pg.Client(server.url);
  await client.connect();
  const name = `${new URL(server.url).pathname.slice(1)}_latin`;
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
  const error = await refusal(`${server.url}_latin`);
  await client.query(`DROP DATABASE ${name}`);
  await client.end();
  expect(error).toBeInstanceOf(DatabaseUnusableError);
  expect(error.message).toContain('its encoding is LATIN1, and UTF8 is needed');
});

test('the time zone of the server changes no time, and its other settings neither bytes nor plans', async () => {
  const noon = new Date('2026-01-02T12:00:00.000Z');
  const client = new pg.Client(server.url);
  await client.connect();
  const name = new URL(server.url).pathname.slice(1);
  for (const setting of [`TimeZone = 'Asia/Tokyo'`, `DateStyle = 'German'`, `bytea_output = 'escape'`]) {
    await client.query(`ALTER DATABASE ${name} SET ${setting}`);
  }
  await client.query(`INSERT INTO "sites" VALUES ('a', 'A', '2026-01-02T12:00:00Z')`);
  await client.end();
  // Trap: the stock adapter takes its times for UTC. Shown, so that we learn when it is mended.
  const stock = new PrismaClient({ adapter: new PrismaPg(`${server.url}?options=-c%20DateStyle%3DISO`) });
  expect((await stock.site.findUniqueOrThrow({ where: { id: 'a' } })).createdAt).not.toEqual(noon);
  await stock.$disconnect();

  const databaseUrl = `${server.url}?options=-c%20work_mem%3D5MB`;
  const database = await openDatabase({ databaseUrl, databasePool: 1, dataDir: '' });
  const { prisma } = database;
  expect((await prisma.site.findUniqueOrThrow({ where: { id: 'a' } })).createdAt).toEqual(noon);
  const token = { id: '0198c0de-0000-7000-8000-000000000001', kind: 'master', siteId: 'a', createdAt: noon } as const;
  await prisma.token.create({ data: { ...token, hash: Uint8Array.of(0, 92, 255) } });
  expect(Array.from((await prisma.token.findFirstOrThrow()).hash)).toEqual([0, 92, 255]);
  // The options of the URL itself hold against ours for plans; the others of ours hold beside them.
  expect(await prisma.$queryRaw`SHOW work_mem`).toEqual([{ work_mem: '5MB' }]);
  expect(await prisma.$queryRaw`SHOW jit`).toEqual([{ jit: 'off' }]);
  await database.close();
});

describe('the schema', () => {
  let empty: ServerDatabase;
  let administrator: pg.Client;
  beforeEach(async () => {
    empty = await emptyDatabaseUrl();
    administrator = new pg.Client(empty.url);
    await administrator.connect();
  });
  afterEach(async () => {
    await administrator.end();
    await empty.drop();
    const client = new pg.Client(server.url);
    await client.connect();
    await client.query('DROP ROLE IF EXISTS "Entryway owner"');
    await client.end();
  });

  test('a role with a schema of its own has its tables there, and the service works', async () => {
    await administrator.query('CREATE ROLE "Entryway owner" LOGIN');
    await administrator.query('CREATE SCHEMA AUTHORIZATION "Entryway owner"');
    const databaseUrl = Object.assign(new URL(empty.url), { username: 'Entryway owner' }).href;
    const database = await openPlain({ databaseUrl, databasePool: 2, dataDir: '' });
    await migrate(database);
    const app = await startApp({}, database);
    const site = await buildSite(database.prisma);
    await buildChannel(database.prisma, site.id, { id: 'articles' });
    const master = as(app, { token: site.master });
    expectEntry(await master.rest('POST', '/channels/articles/entries', { body: { title: 'Harbour' } }), 201);
    expectData(await master.gql('mutation { updateChannel(id: "articles", input: { publishable: true }) { id } }'));
    expect((await master.rest('GET', '/channels/articles/entries?q=harbour')).body).toMatchObject([
      { title: 'Harbour' },
    ]);
    const { rows } = await administrator.query('SELECT DISTINCT schemaname FROM pg_stat_user_tables');
    expect(rows).toEqual([{ schemaname: 'Entryway owner' }]);
    await app.close();
    await database.close();
  });

  test('the schema with the tables stays in use when search_path begins with another one', async () => {
    const first = await openDatabase({ databaseUrl: empty.url, databasePool: 1, dataDir: '' });
    await migrate(first);
    await first.close();
    const databaseUrl = `${empty.url}?options=-c%20search_path%3Dlater,public`;
    await administrator.query('CREATE SCHEMA later');
    const second = await openDatabase({ databaseUrl, databasePool: 1, dataDir: '' });
    expect([await migrate(second), await second.prisma.site.count()]).toEqual([[], 0]);
    await second.close();
  });

  test('a migration without rights on the schema is refused with the GRANT that it needs', async () => {
    await administrator.query('CREATE ROLE "Entryway owner" LOGIN');
    const DATABASE_URL = Object.assign(new URL(empty.url), { username: 'Entryway owner' }).href;
    const { code, stderr } = await entryway(['migrate'], { DATABASE_URL });
    expect([code, stderr]).toEqual([
      1,
      'entryway: The role in DATABASE_URL lacks a right: permission denied for schema public. Let the owner of the ' +
        'database run: GRANT USAGE, CREATE ON SCHEMA public TO <role>.\n',
    ]);
  });

  test('a migration on a read-only server is refused, and the message asks for the primary', async () => {
    const DATABASE_URL = `${empty.url}?options=-c%20default_transaction_read_only%3Don`;
    const { code, stderr } = await entryway(['migrate'], { DATABASE_URL });
    expect([code, stderr]).toEqual([
      1,
      'entryway: The database takes no writes: its server is a standby, or it is set to read-only transactions. Name ' +
        'the primary server in DATABASE_URL.\n',
    ]);
  });

  test('a search_path without an existing schema is refused', async () => {
    const { message } = await refusal(`${empty.url}?options=-c%20search_path%3Dnowhere`);
    expect(message).toMatch(/cannot be used: no schema of its search_path exists: create one/);
  });
});
