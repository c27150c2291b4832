// The service behind pgbouncer in transaction mode, with DATABASE_DIRECT_URL past it (docs/scaling.md). Where pgbouncer is not
// installed, these tests are skipped, and the run says so.
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { startPgbouncer, type Pgbouncer } from '../../scripts/pgbouncer.mjs';
import { openDatabase } from '../../src/database/open/open.ts';
import { DatabaseUnusableError } from '../../src/database/open/postgresql.ts';
import { startApp } from '../support/app.ts';
import { as } from '../support/as.ts';
import { buildChannel, buildSite } from '../support/build.ts';
import { emptyDatabaseUrl, openPlain, testDatabaseUrl, type ServerDatabase } from '../support/db.ts';
import { expectData, expectEntry } from '../support/expect.ts';

/** scripts/test.mjs finds it, or says that these tests do not run. */
const program = process.env['TEST_PGBOUNCER'] ?? null;
const statementTimeout = 10_000;

let pooler: Pgbouncer;
let server: ServerDatabase;
let other: pg.Client;
/** What the test at hand has opened, the latest last. */
const closes: (() => Promise<void>)[] = [];

/** The settings of the pgbouncer.ini of docs/scaling.md, each as it stands behind its name, except those that say where and for whom. */
function printedSettings(): Record<string, string> {
  const text = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8');
  const [, section = ''] = /\[pgbouncer\]\n([^]*?)```/.exec(text) ?? [];
  const lines = section.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
  const settings = lines.map((line) => line.split(' = ', 2) as [string, string]);
  const own = ['listen_addr', 'listen_port', 'auth_type', 'auth_file', 'admin_users'];
  expect(settings.map(([name]) => name)).toEqual([...own, 'pool_mode', 'default_pool_size', 'max_client_conn']);
  return Object.fromEntries(settings.filter(([name]) => !own.includes(name)));
}

(program === null ? describe.skip : describe)('behind pgbouncer in transaction mode', () => {
  beforeAll(async () => {
    const settings = { ...printedSettings(), default_pool_size: 4, max_client_conn: 100 };
    pooler = await startPgbouncer(program ?? '', process.env['TEST_DATABASE_URL'] ?? '', settings);
  });
  afterAll(async () => {
    await pooler.stop();
  });

  beforeEach(async () => {
    server = await testDatabaseUrl();
    other = new pg.Client(server.url);
    await other.connect();
  });
  afterEach(async () => {
    for (const close of closes.splice(0).reverse()) await close();
    await other.end();
    await server.drop();
  });

  const config = () => ({ databaseUrl: pooler.through(server.url), databasePool: 4, dataDir: '', statementTimeout });

  function refusal(directUrl?: string): Promise<string> {
    return openDatabase({ ...config(), directUrl }).then(
      () => {
        throw new Error('it was opened');
      },
      (error: unknown) => {
        expect(error).toBeInstanceOf(DatabaseUnusableError);
        return (error as Error).message;
      },
    );
  }

  /** Sets the database up as the refusals say, one setting after the other. @returns the settings */
  async function setUp(): Promise<string[]> {
    const names: string[] = [];
    for (;;) {
      const opened = await openPlain({ ...config(), directUrl: server.url }).catch((error: unknown) => error as Error);
      if (!(opened instanceof Error)) {
        await opened.close();
        return names;
      }
      const [, statement = '', name = ''] = /Run (ALTER DATABASE \S+ SET (\w+) = .*?); /.exec(opened.message) ?? [];
      expect([opened.message, names.includes(name)]).toEqual([expect.stringContaining(' SET '), false]);
      names.push(name);
      await other.query(statement);
      await pooler.reconnect();
    }
  }

  test('a pooler in transaction mode is refused without DATABASE_DIRECT_URL', async () => {
    expect(await refusal()).toMatch(/a pooler in transaction mode is in between: .* set DATABASE_DIRECT_URL/);
  });

  test('each setting that a database behind a pooler lacks is reported with the statement that sets it', async () => {
    const names = await setUp();
    expect(names).toEqual(expect.arrayContaining(['DateStyle', 'lock_timeout', 'statement_timeout']));
    await other.query(`ALTER DATABASE ${new URL(server.url).pathname.slice(1)} SET bytea_output = 'escape'`);
    await pooler.reconnect();
    expect(await refusal(server.url)).toMatch(/bytea_output is "escape"\. Run ALTER DATABASE/);
  });

  test('a DATABASE_DIRECT_URL to another database is refused', async () => {
    await setUp();
    const another = await emptyDatabaseUrl();
    expect(await refusal(another.url)).toContain('DATABASE_DIRECT_URL leads to another database');
    await another.drop();
  });

  test('many clients, transactions and the feed work behind a pooler, and no prepared statement has a name there', async () => {
    await setUp();
    const start = async () => {
      const database = await openPlain({ ...config(), directUrl: server.url });
      closes.push(() => database.close());
      const app = await startApp({ RATE_LIMIT: 'off' }, database);
      closes.push(() => app.close());
      return app;
    };
    const [one, two] = [await start(), await start()];
    const { prisma } = one.database;
    const site = await buildSite(prisma);
    await buildChannel(prisma, site.id, {
      id: 'articles',
      fields: [
        { name: 'title', type: 'string', indexed: true },
        { name: 'at', type: 'integer' },
      ],
    });
    const path = '/channels/articles/entries';
    const masters = [one, two].map((app) => as(app, { token: site.master }));
    const [first, second] = masters;
    if (first === undefined || second === undefined) throw new Error('There are two.');

    // More requests than the pooler has connections.
    const created = await Promise.all(
      Array.from({ length: 60 }, async (_, at) => {
        const master = at % 2 === 0 ? first : second;
        const { id } = expectEntry(await master.rest('POST', path, { body: { title: `Number ${at}` } }), 201);
        expectEntry(await master.rest('PATCH', `${path}/${id}`, { body: { at } }));
        expect((await master.rest('GET', `${path}/${id}`)).body).toMatchObject({ at, title: `Number ${at}` });
        return id;
      }),
    );
    expect(new Set(created).size).toBe(60);
    expect((await second.rest('GET', `${path}/count?title.contains=number`)).body).toEqual({ count: 60 });
    expect((await first.rest('GET', `${path}?q=number&sort=-title&per_page=5`)).body).toHaveLength(5);
    const operations = [
      { op: 'create', data: { title: 'Both' } },
      { op: 'delete', id: created[0] },
    ];
    const bulk = await first.rest('POST', `${path}/bulk`, { body: { atomic: true, operations } });
    expect(bulk.body).toMatchObject({ results: [{ status: 201 }, { status: 204 }] });
    const { rows } = await other.query<{ at: Date }>(
      'SELECT created_at AS at FROM entries WHERE site_id = $1 LIMIT 1',
      [site.id],
    );
    expect(Math.abs(Date.now() - (rows[0]?.at.getTime() ?? 0))).toBeLessThan(600_000);

    // What one process changes, the other hears of by its own connection.
    const visitor = as(two, { token: site.public });
    expect((await visitor.rest('GET', path)).status).toBe(200);
    expectData(await first.gql('mutation { updateChannel(id: "articles", input: { acl: { read: NONE } }) { id } }'));
    for (const giveUpAt = performance.now() + 30_000; performance.now() < giveUpAt;) {
      const { body } = await visitor.rest<unknown[]>('GET', path);
      if (!Array.isArray(body) || body.length === 0) break;
    }
    expect((await visitor.rest('GET', `${path}/${created[1] ?? ''}`)).status).toBe(404);
    expect((await second.rest('GET', '/changes?after=now')).status).toBe(200);

    const through = new pg.Client(pooler.through(server.url));
    closes.push(() => through.end());
    await through.connect();
    for (let round = 0; round < 8; round += 1) {
      const named = await through.query<{ name: string }>(`SELECT name FROM pg_prepared_statements`);
      expect(named.rows.filter(({ name }) => name.startsWith('entryway'))).toEqual([]);
    }
  });
});
