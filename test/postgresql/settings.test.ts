// Settings of the server that must not apply to connections, and locked rows that must not delay other requests.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import type { PlainDatabase } from '../../src/database/database.ts';
import { withSnapshot, type Snapshot } from '../../src/database/snapshot.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as, type Caller, type RestAnswer } from '../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../support/build.ts';
import { testDatabaseUrl, openPlain } from '../support/db.ts';
import { expectProblem } from '../support/expect.ts';

let url: string;
let drop: () => Promise<void>;
let other: pg.Client;
let database: PlainDatabase;
let app: TestApp;

beforeEach(async () => {
  ({ url, drop } = await testDatabaseUrl());
  other = new pg.Client(url);
  await other.connect();
  // Citus takes triggers on distributed tables only then; plain PostgreSQL does not know the setting, and lets it be.
  await other.query('SET citus.enable_unsafe_triggers = on');
});
afterEach(async () => {
  await app.close();
  await database.close();
  await other.end();
  await drop();
});

async function start(settings: { statementTimeout?: number } = {}): Promise<void> {
  database = await openPlain({ databaseUrl: url, databasePool: 4, dataDir: '', ...settings });
  app = await startApp({}, database);
}

test('concurrent updates of an entry all succeed where the database defaults to repeatable read', async () => {
  const name = new URL(url).pathname.slice(1);
  await other.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'repeatable read'`);
  await start();
  const site = await buildSite(database.prisma);
  const channel = await buildChannel(database.prisma, site.id);
  const entry = await buildEntry(database.prisma, channel);
  const master = as(app, { token: site.master });
  const path = `/channels/${channel.id}/entries/${entry.id}`;
  const fields = Array.from({ length: 30 }, (_, index) => `field_${index}`);
  const answers = await Promise.all(fields.map((field) => master.rest('PATCH', path, { body: { [field]: 1 } })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await master.rest('GET', path)).body).toMatchObject(Object.fromEntries(fields.map((field) => [field, 1])));
});

test('writes to a channel whose row is locked get 503 after seconds, and other sites are not delayed', async () => {
  await start();
  const [site, elsewhere] = [await buildSite(database.prisma), await buildSite(database.prisma)];
  const channel = await buildChannel(database.prisma, site.id);
  const open = await buildChannel(database.prisma, elsewhere.id);
  await other.query('BEGIN');
  await other.query('SELECT 1 FROM channels WHERE site_id = $1 AND uid = $2 FOR UPDATE', [site.id, channel.uid]);
  const master = as(app, { token: site.master });
  const writes = Array.from({ length: 4 }, () => master.rest('POST', `/channels/${channel.id}/entries`, { body: {} }));
  const read = as(app, { token: elsewhere.public }).rest('GET', `/channels/${open.id}/entries`);
  const answers = await Promise.all(writes);
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
  expect(answers[0]?.headers.get('retry-after')).toBe('1');
  expect((await read).status).toBe(200);
  await other.query('ROLLBACK');
  expect((await master.rest('POST', `/channels/${channel.id}/entries`, { body: {} })).status).toBe(201);
});

test('a bulk that the channel refuses does not wait for locks on the channel or its entries', async () => {
  await start({ statementTimeout: 300 });
  const site = await buildSite(database.prisma);
  const channel = await buildChannel(database.prisma, site.id, { id: 'articles' });
  const { id } = await buildEntry(database.prisma, channel, { slug: 'held' });
  await other.query('BEGIN');
  await other.query('SELECT 1 FROM channels WHERE site_id = $1 FOR UPDATE -- test: holds the channel', [site.id]);
  await other.query('SELECT 1 FROM entries WHERE site_id = $1 AND id = $2 FOR UPDATE -- test: holds it', [site.id, id]);
  const body = {
    operations: [
      { op: 'delete', id: 'held' },
      { op: 'delete', id: 'nobody' },
    ],
  };
  const visitor = as(app, { token: site.public });
  const answer = await visitor.rest<{ results: { status: number }[] }>('POST', '/channels/articles/entries/bulk', {
    body,
  });
  await other.query('ROLLBACK');
  expect(answer.body.results.map(({ status }) => status)).toEqual([403, 404]);
});

test('a change of a channel waits for the writes before it, and not for those after it', async () => {
  await start();
  const site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  await other.query(
    `CREATE FUNCTION doze() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NEW; END'`,
  );
  await other.query('CREATE TRIGGER doze BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION doze() -- test: slow');
  const master = as(app, { token: site.master });
  const done: string[] = [];
  const write = async (name: string): Promise<void> => {
    expect((await master.rest('POST', '/channels/articles/entries', { body: {} })).status).toBe(201);
    done.push(name);
  };
  const change = async (): Promise<void> => {
    const { errors } = await master.gql(
      'mutation { updateChannel(id: "articles", input: { acl: { read: NONE } }) { id } }',
    );
    expect(errors).toBeUndefined();
    done.push('change');
  };
  const first = write('first');
  await sleep(300);
  const changed = change();
  await sleep(300);
  await Promise.all([first, changed, write('second')]);
  expect(done).toEqual(['first', 'change', 'second']);
});

test('a statement that exceeds its timeout gets 503 at both doors, and leaves nothing behind', async () => {
  await start({ statementTimeout: 300 });
  const site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  await other.query(
    `CREATE FUNCTION doze() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(30); RETURN NEW; END'`,
  );
  await other.query(
    'CREATE TRIGGER doze BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION doze() -- test: takes long',
  );
  const master = as(app, { token: site.master });
  await expectWritesUnavailable(master);
  expect(await database.prisma.entry.count({ where: { siteId: site.id } })).toBe(0);
  await other.query('DROP TRIGGER doze ON entries -- test: no more');
  expect((await master.rest('POST', '/channels/articles/entries', { body: {} })).status).toBe(201);
});

test('a bulk whose 151st create times out stores the first 100, with 503 for the others, and an atomic one stores nothing', async () => {
  await start({ statementTimeout: 300 });
  const site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  await other.query(
    `CREATE FUNCTION doze() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.slug = ''slow'' THEN PERFORM pg_sleep(30); END IF; RETURN NEW; END'`,
  );
  await other.query('CREATE TRIGGER doze BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION doze() -- test: slow');
  const operations = Array.from({ length: 250 }, (_, at) => ({
    op: 'create',
    data: { slug: at === 150 ? 'slow' : `entry-${at}` },
  }));
  const send = (atomic: boolean): Promise<RestAnswer<{ results: { status: number }[] }>> =>
    as(app, { token: site.master }).rest('POST', '/channels/articles/entries/bulk', { body: { atomic, operations } });
  const countEntries = (): Promise<number> => database.prisma.entry.count({ where: { siteId: site.id } });
  expectProblem(await send(true), 'unavailable');
  expect(await countEntries()).toBe(0);
  const { body } = await send(false);
  const statuses = body.results.map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: 250 }, (_, at) => (at < 100 ? 201 : 503)));
  expect(await countEntries()).toBe(100);
});

test('a new title field, which sorts all entries of its channel anew, may exceed the statement timeout', async () => {
  await start({ statementTimeout: 300 });
  const site = await buildSite(database.prisma);
  const channel = await buildChannel(database.prisma, site.id, { id: 'articles' });
  await buildEntry(database.prisma, channel, { data: { name: 'Ada' } });
  await other.query(
    `CREATE FUNCTION doze() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.6); RETURN NEW; END'`,
  );
  await other.query(
    'CREATE TRIGGER doze BEFORE UPDATE ON entries FOR EACH ROW EXECUTE FUNCTION doze() -- test: takes long',
  );
  const { errors } = await as(app, { token: site.master }).gql(
    'mutation { updateChannel(id: "articles", input: { titleField: "name" }) { titleField } }',
  );
  expect(errors).toBeUndefined();
});

test('an export is not bound by the timeouts that the database sets', async () => {
  const name = new URL(url).pathname.slice(1);
  const settings = ['statement_timeout', 'idle_in_transaction_session_timeout'];
  for (const setting of settings) await other.query(`ALTER DATABASE ${name} SET ${setting} = '5s'`);
  await start();
  const shown = (sql: Pick<Snapshot, 'query'>): Promise<unknown[]> =>
    sql.query(`SELECT ${settings.map((setting) => `current_setting('${setting}') AS ${setting}`).join(', ')}`);
  const [before] = await database.session(shown);
  expect(before).toEqual({ statement_timeout: '5s', idle_in_transaction_session_timeout: '5s' });
  const [within] = await withSnapshot(database, shown);
  expect(within).toEqual({ statement_timeout: '0', idle_in_transaction_session_timeout: '0' });
});

test('a read-only database answers reads, and writes get 503 at both doors', async () => {
  database = await openPlain({ databaseUrl: url, databasePool: 1, dataDir: '' });
  const site = await buildSite(database.prisma);
  await buildChannel(database.prisma, site.id, { id: 'articles' });
  await database.close();
  await other.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
  await start();
  const master = as(app, { token: site.master });
  expect((await master.rest('GET', '/channels/articles/entries')).status).toBe(200);
  await expectWritesUnavailable(master);
});

async function expectWritesUnavailable(master: Caller): Promise<void> {
  const answer = await master.rest('POST', '/channels/articles/entries', { body: { title: 'x' } });
  expectProblem(answer, 'unavailable');
  expect(answer.headers.get('retry-after')).toBe('1');
  const { errors } = await master.gql('mutation { createEntry(channel: "articles", input: {}) { id } }');
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UNAVAILABLE']);
}
