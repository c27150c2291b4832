// A write that meets another one, or a change of its channel's rules: the state that it was decided on is held until it
// is done, or it is decided again.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { PlainDatabase } from '../../src/database/database.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { as, type Caller } from '../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../support/build.ts';
import { testDatabaseUrl, openPlain } from '../support/db.ts';

let drop: () => Promise<void>;
let other: pg.Client;
let database: PlainDatabase;
let app: TestApp;
let siteId: string;
let visitor: Caller;

beforeEach(async () => {
  const copy = await testDatabaseUrl();
  drop = copy.drop;
  database = await openPlain({ databaseUrl: copy.url, databasePool: 4, dataDir: '' });
  app = await startApp({}, database);
  other = new pg.Client(copy.url);
  await other.connect();
  const site = await buildSite(database.prisma);
  siteId = site.id;
  const scopes = { createScope: 'public', updateScope: 'public', deleteScope: 'public' } as const;
  const channel = await buildChannel(database.prisma, siteId, { id: 'articles', ...scopes });
  await buildEntry(database.prisma, channel, { slug: 'one' });
  visitor = as(app, { token: site.public });
});
afterEach(async () => {
  await app.close();
  await database.close();
  await other.end();
  await drop();
});

const collection = '/channels/articles/entries';

describe('a channel that is closed while a write is under way', () => {
  test.each([
    ['create', 'POST', collection, { title: 'New' }],
    ['update', 'PATCH', `${collection}/one`, { title: 'New' }],
    ['delete', 'DELETE', `${collection}/one`, undefined],
  ] as const)(
    'a channel that is closed while a %s is under way refuses it, though it was decided before',
    async (_name, method, path, body) => {
      // The rules are known to the service, and changed by a transaction that is not done yet.
      expect((await visitor.rest('GET', collection)).status).toBe(200);
      await other.query('BEGIN');
      await other.query(
        `UPDATE channels SET create_scope = 'none', update_scope = 'none', delete_scope = 'none', version = version + 1
       WHERE site_id = $1 AND id = 'articles'`,
        [siteId],
      );
      const answer = visitor.rest(method, path, body && { body });
      await sleep(300);
      await other.query('COMMIT');
      expect((await answer).status).toBe(403);
      const stored = await database.prisma.entry.findMany({ where: { siteId }, take: 10 });
      expect(stored.map(({ slug, version }) => [slug, version])).toEqual([['one', 1]]);
    },
  );
});

test('an entry that is changed while an update is under way keeps both changes', async () => {
  await other.query('BEGIN');
  await other.query(
    `UPDATE entries SET data = '{"theirs": 1}', version = version + 1 WHERE site_id = $1 AND slug = 'one'`,
    [siteId],
  );
  // Decided on the first version, since that of the transaction can't be seen yet.
  const answer = visitor.rest('PATCH', `${collection}/one`, { body: { ours: 1 } });
  await sleep(300);
  await other.query('COMMIT');
  expect(await answer).toMatchObject({ status: 200, body: { theirs: 1, ours: 1 } });
  const [stored] = await database.prisma.entry.findMany({ where: { siteId, slug: 'one' }, take: 1 });
  expect([stored?.data, stored?.version]).toEqual([{ theirs: 1, ours: 1 }, 3]);
});

test('an entry that is changed while its update waits for the channel keeps both changes', async () => {
  await other.query('BEGIN');
  await other.query(`SELECT uid FROM channels WHERE site_id = $1 AND id = 'articles' FOR UPDATE`, [siteId]);
  // Decided on the first version, and the function begins to look at the entry when it has the second one.
  const answer = visitor.rest('PATCH', `${collection}/one`, { body: { ours: 1 } });
  await sleep(300);
  await other.query(
    `UPDATE entries SET data = '{"theirs": 1}', version = version + 1 WHERE site_id = $1 AND slug = 'one'`,
    [siteId],
  );
  await other.query('COMMIT');
  expect(await answer).toMatchObject({ status: 200, body: { theirs: 1, ours: 1 } });
});

test('of two writes that overlap, the one that began first can be seen last, with the earlier time', async () => {
  interface Shown {
    readonly slug: string;
    readonly updated_at: string;
  }
  const slugs = async (filter = ''): Promise<string[]> => {
    const { body } = await visitor.rest<Shown[]>('GET', `${collection}?sort=updated_at${filter}`);
    return body.map(({ slug }) => slug);
  };
  await other.query('BEGIN');
  await other.query(`SELECT id FROM entries WHERE site_id = $1 AND slug = 'one' LIMIT 1 FOR UPDATE`, [siteId]);
  const first = visitor.rest('PATCH', `${collection}/one`, { body: { title: 'New' } });
  await sleep(300);
  const second = await visitor.rest<Shown>('POST', collection, { body: { slug: 'two' } });
  expect(second.status).toBe(201);
  await other.query('ROLLBACK');
  expect((await first).status).toBe(200);
  // So a copy that has seen "two" and asks for what is later misses the change of "one", as docs/api.md warns.
  expect(await slugs(`&updated_at.gt=${second.body.updated_at}`)).toEqual([]);
  expect(await slugs()).toEqual(['one', 'two']);
});

describe('creates that come together', () => {
  /** Sends creates at the same time. @returns the status of each, and after how many milliseconds it came */
  const createAll = (slugs: readonly string[]): Promise<{ status: number; after: number }[]> => {
    const begun = performance.now();
    return Promise.all(
      slugs.map(async (slug) => {
        const { status } = await visitor.rest('POST', collection, { body: { slug } });
        return { status, after: performance.now() - begun };
      }),
    );
  };

  test('concurrent creates do not wait for long behind one whose slug another transaction holds', async () => {
    await createAll(['warm', 'up']);
    await other.query('BEGIN');
    await other.query(
      `INSERT INTO entries (site_id, id, channel_uid, short_id, slug, acl, data, kept, search, fields_version, status, created_at, updated_at)
       SELECT site_id, gen_random_uuid(), channel_uid, 'held', 'held', acl, data, kept, search, fields_version, status, now(), now()
       FROM entries WHERE site_id = $1 AND slug = 'one' LIMIT 1`,
      [siteId],
    );
    const [held, ...others] = await createAll(['held', 'two', 'three']);
    await other.query('ROLLBACK');
    expect(held?.status).toBe(503);
    for (const { status, after } of others) {
      expect(status).toBe(201);
      expect(after).toBeLessThan(1_500);
    }
  });

  test('concurrent creates wait for a locked channel no longer than one alone', async () => {
    await other.query('BEGIN');
    await other.query(`SELECT uid FROM channels WHERE site_id = $1 AND id = 'articles' FOR UPDATE`, [siteId]);
    const answers = await createAll(['two', 'three']);
    await other.query('ROLLBACK');
    for (const { status, after } of answers) {
      expect(status).toBe(503);
      expect(after).toBeLessThan(3_500);
    }
  });
});
