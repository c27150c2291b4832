// The judge of statements that all tests run under: what it lets pass, and what it must not.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Judge, testMark } from '../../support/watch/sql/judge.mjs';
import { exceptions, siteTables } from '../../support/watch/sql/tables.mjs';

const root = join(import.meta.dirname, '../../..');
const tables = ['customers', 'sessions', 'channels', 'entries'];
const judge = new Judge(tables, exceptions(tables));

describe('passes', () => {
  test.each([
    ['one entry by its id', 'SELECT e.* FROM entries e WHERE e.site_id = $1 AND e.id = $2::uuid'],
    ['by its short id', `SELECT * FROM entries WHERE short_id = 'ABC' AND ($1 = site_id)`],
    ['by its slug and channel', 'SELECT 1 FROM entries e WHERE e.site_id = $1 AND e.channel_uid = $2 AND e.slug = $3'],
    ['by a list of keys', 'SELECT data FROM entries e WHERE (e.site_id, e.id) IN (($1, $2), ($3, $4::uuid))'],
    [
      'a page',
      'SELECT * FROM entries e WHERE e.site_id = $1 AND (e.owner = $2 OR NOT (e.slug = $3)) ORDER BY 1 LIMIT $4',
    ],
    ['a first row', 'SELECT * FROM entries e WHERE e.site_id = $1 FETCH FIRST 1 ROW ONLY'],
    ['a count', 'SELECT count(*)::int AS n FROM entries e WHERE e.site_id = $1'],
    ['a capped count', 'SELECT count(*) FROM (SELECT 1 FROM entries e WHERE e.site_id = $1 LIMIT $2) AS matches'],
    [
      'a count of a query',
      'SELECT COUNT(*) AS "all" FROM (SELECT "id" FROM "public"."entries" WHERE "site_id" = $1 OFFSET $2) AS "sub"',
    ],
    ['a question', 'SELECT EXISTS (SELECT 1 FROM entries e WHERE e.site_id = $1) AS any'],
    [
      'quoted names',
      'SELECT "public"."channels"."id" FROM "public"."channels" WHERE ("public"."channels"."site_id" = $1 AND 1=1) LIMIT $2',
    ],
    [
      'alternatives that all compare it',
      'SELECT * FROM customers c WHERE (c.site_id = $1 AND c.id = $2) OR (c.id = $3 AND c.site_id = $1)',
    ],
    [
      'a join by the site',
      'SELECT c.id FROM sessions s JOIN customers c ON c.site_id = s.site_id AND c.id = s.customer_id WHERE s.site_id = $1',
    ],
    ['an outer join by the site', 'SELECT c.id FROM sites x LEFT JOIN customers c ON c.site_id = x.id WHERE x.id = $1'],
    [
      'a query that depends on the one around it',
      'SELECT 1 FROM channels c WHERE c.site_id = $1 AND EXISTS (SELECT 1 FROM entries e WHERE e.site_id = c.site_id)',
    ],
    [
      'a write on a channel that was held',
      'WITH channel AS (SELECT c.site_id, c.uid FROM channels c WHERE c.site_id = $1 FOR SHARE) UPDATE entries e SET slug = $2 FROM channel WHERE e.site_id = channel.site_id RETURNING e.id',
    ],
    [
      'a write of many',
      'UPDATE sessions s SET last_used_at = u.at FROM unnest($1::text[], $2::uuid[]) AS u(site_id, id, at) WHERE s.site_id = u.site_id AND s.id = u.id',
    ],
    ['a deletion', 'DELETE FROM entries e USING channels c WHERE c.site_id = $1 AND e.site_id = c.site_id'],
    [
      'an insert',
      'INSERT INTO "public"."customers" ("site_id", "id") VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING "id"',
    ],
    [
      'an insert of what was selected',
      'INSERT INTO entries (site_id, id) SELECT c.site_id, $1 FROM channels c WHERE c.site_id = $2 ON CONFLICT (site_id, id) DO UPDATE SET version = 2',
    ],
    ['global tables', 'SELECT * FROM memberships m JOIN tokens t ON t.site_id = m.site_id'],
    [
      'names in texts, comments and aliases',
      `SELECT 'from entries' AS entries /* from entries /* e */ */ FROM sites -- join channels`,
    ],
    [
      'other distinctions than a clause',
      'UPDATE entries e SET title = $2 FROM channels c WHERE c.site_id = $1 AND e.site_id = c.site_id AND e.title IS DISTINCT FROM $2',
    ],
    [
      'LEFT as a function',
      'SELECT left(e.slug, 3) FROM entries e JOIN channels c ON left(e.slug, 1) = $2 AND c.site_id = $1 WHERE e.site_id = c.site_id LIMIT 1',
    ],
    [
      'what has nothing to do with sites',
      'BEGIN; SET LOCAL lock_timeout = 5; LISTEN "entryway"; CREATE TABLE a (n INTEGER); VACUUM a; COMMIT',
    ],
    ['upkeep', 'VACUUM (ANALYZE) public.entries'],
    ['what a test marks', `TRUNCATE entries -- test: begins anew`],
  ])('%s', (_name, sql) => {
    expect(judge.faultsOf(sql)).toEqual([]);
  });

  test('the migrations, as they stand in their files', () => {
    const sql = readFileSync(join(root, 'prisma/migrations/20261121000000_init/migration.sql'), 'utf8');
    expect(judge.faultsOf(sql)).toEqual([]);
    expect(judge.faultsOf(`${sql}; UPDATE entries SET owner = NULL`)).not.toEqual([]);
  });
});

const noSite = (verb: string, table: string): string => `${verb} on ${table} that does not compare its site_id`;
const unbounded = 'SELECT on entries with neither LIMIT nor a unique key';

describe('finds', () => {
  test.each([
    ['no condition', 'SELECT * FROM channels', [noSite('SELECT', 'channels')]],
    ['a site that is only listed', 'SELECT c.site_id FROM channels c WHERE c.id = $1', [noSite('SELECT', 'channels')]],
    [
      'a site that is only ordered by',
      'SELECT 1 FROM customers ORDER BY site_id = $1',
      [noSite('SELECT', 'customers')],
    ],
    [
      'an alternative without the site',
      'SELECT 1 FROM channels WHERE site_id = $1 OR id = $2',
      [noSite('SELECT', 'channels')],
    ],
    ['a site that is ruled out', 'SELECT 1 FROM channels WHERE NOT (site_id = $1)', [noSite('SELECT', 'channels')]],
    ['another site', 'SELECT 1 FROM channels WHERE site_id <> $1', [noSite('SELECT', 'channels')]],
    ['any site', 'SELECT 1 FROM channels WHERE site_id = site_id', [noSite('SELECT', 'channels')]],
    ['a site that is there', 'SELECT 1 FROM channels WHERE site_id IS NOT NULL', [noSite('SELECT', 'channels')]],
    ['sites like', 'SELECT 1 FROM channels WHERE site_id LIKE $1', [noSite('SELECT', 'channels')]],
    [
      'a site in a case',
      'SELECT 1 FROM channels WHERE CASE WHEN $2 AND site_id = $1 AND $3 THEN TRUE ELSE TRUE END',
      [noSite('SELECT', 'channels')],
    ],
    ['a site in a comment', 'SELECT 1 FROM channels WHERE id = $1 -- AND site_id = $2', [noSite('SELECT', 'channels')]],
    ['a site in a text', `SELECT 1 FROM channels WHERE id = 'AND site_id = $2'`, [noSite('SELECT', 'channels')]],
    [
      'a quoted name without it',
      'SELECT 1 FROM "public"."channels" WHERE "public"."channels"."id" = $1',
      [noSite('SELECT', 'channels')],
    ],
    [
      'a global table’s site',
      'SELECT 1 FROM memberships m JOIN channels c ON c.site_id = m.site_id WHERE m.user_id = $1',
      [noSite('SELECT', 'channels')],
    ],
    [
      'a query of a global table',
      'WITH m AS (SELECT site_id FROM memberships) SELECT 1 FROM channels c, m WHERE c.site_id = m.site_id',
      [noSite('SELECT', 'channels')],
    ],
    [
      'one table’s site for another’s',
      'SELECT 1 FROM sessions s, customers c WHERE s.site_id = $1 AND s.customer_id = c.id',
      [noSite('SELECT', 'customers')],
    ],
    [
      'a site that is only wanted on the left',
      'SELECT 1 FROM customers c LEFT JOIN sites s ON c.site_id = $1',
      [noSite('SELECT', 'customers')],
    ],
    [
      'a site within',
      'SELECT 1 FROM channels c WHERE EXISTS (SELECT 1 FROM sessions s WHERE s.site_id = $1)',
      [noSite('SELECT', 'channels')],
    ],
    [
      'a site around',
      'SELECT 1 FROM channels c WHERE c.site_id = $1 AND c.uid IN (SELECT e.channel_uid FROM entries e)',
      [noSite('SELECT', 'entries')],
    ],
    ['WITH', 'WITH c AS (SELECT * FROM channels) SELECT 1 FROM c WHERE c.site_id = $1', [noSite('SELECT', 'channels')]],
    [
      'UNION',
      'SELECT 1 FROM channels WHERE site_id = $1 UNION ALL SELECT 1 FROM channels',
      [noSite('SELECT', 'channels')],
    ],
    ['a select in the list', 'SELECT (SELECT count(*) FROM customers) FROM sites', [noSite('SELECT', 'customers')]],
    ['an update', 'UPDATE sessions SET site_id2 = $1 WHERE id = $2', [noSite('UPDATE', 'sessions')]],
    ['a deletion', 'DELETE FROM "public"."customers" WHERE 1=1', [noSite('DELETE', 'customers')]],
    ['an insert', 'INSERT INTO customers (id) VALUES ($1)', ['INSERT into customers without site_id']],
    ['an insert without columns', 'INSERT INTO customers VALUES ($1, $2)', ['INSERT into customers without site_id']],
    [
      'an insert of others’ rows',
      'INSERT INTO customers (site_id, id) SELECT $1, id FROM customers',
      [noSite('SELECT', 'customers')],
    ],
    ['a second statement', 'SELECT 1; DELETE FROM channels', [noSite('DELETE', 'channels')]],
    ['an explanation', 'EXPLAIN (ANALYZE) SELECT 1 FROM channels', [noSite('SELECT', 'channels')]],
    ['all entries', 'SELECT e.id FROM entries e WHERE e.site_id = $1 AND e.channel_uid = $2', [unbounded]],
    ['LIMIT ALL', 'SELECT e.id FROM entries e WHERE e.site_id = $1 LIMIT ALL', [unbounded]],
    ['a slug without its channel', 'SELECT 1 FROM entries e WHERE e.site_id = $1 AND e.slug = $2', [unbounded]],
    ['an id among others', 'SELECT 1 FROM entries e WHERE e.site_id = $1 AND (e.id = $2 OR e.slug = $3)', [unbounded]],
    ['keys of unknown number', 'SELECT 1 FROM entries e WHERE e.site_id = $1 AND e.id = ANY($2::uuid[])', [unbounded]],
    [
      'a limit of another query',
      'SELECT 1 FROM (SELECT 1 FROM entries e WHERE e.site_id = $1) AS all_of_them LIMIT 1',
      [unbounded],
    ],
    ['a count beside rows', 'SELECT count(*) OVER (), e.id FROM entries e WHERE e.site_id = $1', [unbounded]],
    ['entries without their site', 'SELECT 1 FROM entries e WHERE e.id = $1', [noSite('SELECT', 'entries')]],
  ])('%s', (_name, sql, faults) => {
    expect(judge.faultsOf(sql)).toEqual(faults);
  });

  test.each([['site_id = $1'], ['(id, site_id) = ($2, $1)']])('a row that changes its site: SET %s', (set) => {
    expect(judge.faultsOf(`UPDATE customers SET ${set} WHERE site_id = $3`)).toEqual([
      'UPDATE that moves rows of customers to another site',
    ]);
  });

  test.each([
    ['TRUNCATE channels'],
    ['WITH c AS MATERIALIZED SELECT 1 FROM channels'],
    ['TABLE entries'],
    ['LOCK TABLE customers'],
    ['COPY entries TO STDOUT'],
    [`DO $$ BEGIN DELETE FROM entries; END $$`],
    ['MERGE INTO entries e USING channels c ON TRUE WHEN MATCHED THEN DELETE'],
    ['SELECT 1 FROM (entries e JOIN channels c ON TRUE) WHERE e.site_id = $1'],
    ['SELECT 1 FROM channels c RIGHT JOIN customers x ON x.site_id = $1 WHERE c.site_id = $1'],
    ['SELECT 1 FROM entries e WHERE (e.site_id = $1 LIMIT 1'],
    [`SELECT 'unclosed FROM entries`],
    ['VACUUM (ANALYZE) public.entries; DELETE FROM entries'],
    ['VACUUM FULL entries'],
  ])('what it does not understand, where it names a site’s table: %s', (sql) => {
    expect(judge.faultsOf(sql)).not.toEqual([]);
  });
});

test('the sites’ tables are those of the schema that docs/contract.md §1 does not call global', () => {
  expect(siteTables().sort()).toEqual(expect.arrayContaining(['channels', 'customers', 'entries', 'sessions']));
  for (const table of ['sites', 'users', 'memberships', 'tokens']) expect(siteTables()).not.toContain(table);
  expect(siteTables('model Tag {\n  siteId String\n  @@map("tags")\n}\nmodel Note {\n  siteId String\n}\n')).toEqual([
    'tags',
    'Note',
  ]);
});

test('the service itself never says that a statement is a test’s', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const marked = files.filter((name) => readFileSync(join(root, 'src', name), 'utf8').includes(testMark));
  expect(files.length).toBeGreaterThan(50);
  expect(marked).toEqual([]);
});
