// The judge of statements that all tests run under: statements that it must pass, and statements that it must report.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { splitStatements } from '../../../src/database/migrations/sqlScript.ts';
import { Judge, testMark } from '../../support/watch/judge.mjs';
import { exceptions, siteTables } from '../../support/watch/tables.mjs';

const root = join(import.meta.dirname, '../../..');
const tables = ['customers', 'sessions', 'channels', 'entries'];
const judge = new Judge(tables, exceptions(tables));

describe('passes', () => {
  test.each([
    // One entry by each of its keys, and by a list of them.
    'SELECT e.* FROM entries e WHERE e.site_id = $1 AND e.id = $2::uuid',
    `SELECT * FROM entries WHERE short_id = 'ABC' AND ($1 = site_id)`,
    'SELECT 1 FROM entries e WHERE e.site_id = $1 AND e.channel_uid = $2 AND e.slug = $3',
    'SELECT data FROM entries e WHERE (e.site_id, e.id) IN (($1, $2), ($3, $4::uuid))',
    // A page, a first row, counts, and the question whether there are any.
    'SELECT * FROM entries e WHERE e.site_id = $1 AND (e.owner = $2 OR NOT (e.slug = $3)) ORDER BY 1 LIMIT $4',
    'SELECT * FROM entries e WHERE e.site_id = $1 FETCH FIRST 1 ROW ONLY',
    'SELECT count(*)::int AS n FROM entries e WHERE e.site_id = $1',
    'SELECT count(*) FROM (SELECT 1 FROM entries e WHERE e.site_id = $1 LIMIT $2) AS matches',
    'SELECT COUNT(*) AS "all" FROM (SELECT "id" FROM "public"."entries" WHERE "site_id" = $1 OFFSET $2) AS "sub"',
    'SELECT EXISTS (SELECT 1 FROM entries e WHERE e.site_id = $1) AS any',
    // The site by way of other conditions, relations and queries.
    'SELECT "public"."channels"."id" FROM "public"."channels" WHERE ("public"."channels"."site_id" = $1 AND 1=1)',
    'SELECT * FROM customers c WHERE (c.site_id = $1 AND c.id = $2) OR (c.id = $3 AND c.site_id = $1)',
    'SELECT 1 FROM sessions s JOIN customers c ON c.site_id = s.site_id AND c.id = s.customer_id WHERE s.site_id = $1',
    'SELECT c.id FROM sites x LEFT JOIN customers c ON c.site_id = x.id WHERE x.id = $1',
    'SELECT 1 FROM channels c WHERE c.site_id = $1 AND EXISTS (SELECT 1 FROM entries e WHERE e.site_id = c.site_id)',
    'SELECT 1 FROM (channels c JOIN customers x ON x.site_id = c.site_id) WHERE x.site_id = $1',
    // Writes.
    'WITH held AS (SELECT c.site_id FROM channels c WHERE c.site_id = $1 FOR SHARE) UPDATE entries e SET slug = $2 FROM held WHERE e.site_id = held.site_id RETURNING e.id',
    'UPDATE sessions s SET last_used_at = u.at FROM unnest($1::text[], $2::uuid[]) AS u(site_id, id, at) WHERE s.site_id = u.site_id AND s.id = u.id',
    'DELETE FROM entries e USING channels c WHERE c.site_id = $1 AND e.site_id = c.site_id',
    'INSERT INTO "public"."customers" ("site_id", "id") VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING "id"',
    'INSERT INTO entries (site_id, id) SELECT c.site_id, $1 FROM channels c WHERE c.site_id = $2 ON CONFLICT (site_id, id) DO UPDATE SET version = 2',
    // What is about no site's table, and what is excused.
    'SELECT * FROM memberships m JOIN tokens t ON t.site_id = m.site_id',
    `SELECT 'from entries' AS entries /* from entries */ FROM sites -- join channels`,
    'BEGIN; SET LOCAL lock_timeout = 5; LISTEN "entryway"; CREATE TABLE a (n INTEGER); VACUUM a; COMMIT',
    'VACUUM (ANALYZE) public.entries',
    'TRUNCATE entries -- test: begins empty',
  ])('the judge lets the statement pass: %s', (sql) => {
    expect(judge.faultsOf(sql)).toEqual([]);
  });

  test('the judge lets the migrations pass, as they stand in their files', () => {
    const sql = readFileSync(join(root, 'prisma/migrations/20261121000000_init/migration.sql'), 'utf8');
    const statements = splitStatements(sql);
    expect(statements.flatMap((statement) => judge.faultsOf(statement))).toEqual([]);
    expect(judge.faultsOf(`${statements[0]}; UPDATE entries SET owner = NULL`)).not.toEqual([]);
  });
});

const untied = (what: string): string => `${what} that does not compare its site_id`;

/** The fault, and statements that have it and no other. */
const faulty: Record<string, string[]> = {
  [untied('SELECT on channels')]: [
    'SELECT c.site_id FROM channels c WHERE c.id = $1',
    'SELECT 1 FROM channels ORDER BY site_id = $1',
    'SELECT 1 FROM channels WHERE site_id = $1 OR id = $2',
    'SELECT 1 FROM channels WHERE NOT (site_id = $1)',
    'SELECT 1 FROM channels WHERE site_id <> $1',
    'SELECT 1 FROM channels WHERE site_id = site_id',
    'SELECT 1 FROM channels WHERE site_id = NULL',
    'SELECT 1 FROM channels WHERE site_id IS NOT NULL',
    'SELECT 1 FROM channels WHERE site_id LIKE $1',
    'SELECT 1 FROM channels WHERE CASE WHEN $2 AND site_id = $1 AND $3 THEN TRUE ELSE TRUE END',
    'SELECT 1 FROM channels WHERE id = $1 -- AND site_id = $2',
    'SELECT 1 FROM "public"."channels" WHERE "public"."channels"."id" = $1',
    'SELECT 1 FROM memberships m JOIN channels c ON c.site_id = m.site_id WHERE m.user_id = $1',
    'WITH m AS (SELECT site_id FROM memberships) SELECT 1 FROM channels c, m WHERE c.site_id = m.site_id',
    'SELECT 1 FROM channels c WHERE EXISTS (SELECT 1 FROM sessions s WHERE s.site_id = $1)',
    'WITH c AS (SELECT * FROM channels) SELECT 1 FROM c WHERE c.site_id = $1',
    'SELECT 1 FROM channels WHERE site_id = $1 UNION ALL SELECT 1 FROM channels',
    'EXPLAIN (ANALYZE) SELECT 1 FROM channels',
    'TABLE channels',
  ],
  [untied('SELECT on customers')]: [
    'SELECT 1 FROM sessions s, customers c WHERE s.site_id = $1 AND s.customer_id = c.id',
    'SELECT 1 FROM customers c LEFT JOIN sites s ON c.site_id = $1',
    'SELECT 1 FROM channels c RIGHT JOIN customers x ON x.site_id = $1 WHERE c.site_id = $1',
    'SELECT (SELECT count(*) FROM customers) FROM sites',
    'INSERT INTO customers (site_id, id) SELECT $1, id FROM customers',
  ],
  [untied('SELECT on entries')]: [
    'SELECT 1 FROM entries e WHERE e.id = $1',
    'SELECT 1 FROM channels c WHERE c.site_id = $1 AND c.uid IN (SELECT e.channel_uid FROM entries e)',
    'SELECT 1 FROM channels c WHERE c.site_id = $1 AND c.uid = ANY (ARRAY (SELECT e.channel_uid FROM entries e))',
  ],
  [untied('UPDATE on sessions')]: ['UPDATE sessions SET site_id2 = $1 WHERE id = $2'],
  [untied('DELETE on customers')]: ['DELETE FROM "public"."customers" WHERE 1=1', 'SELECT 1; DELETE FROM customers'],
  'INSERT into customers without site_id': [
    'INSERT INTO customers (id) VALUES ($1)',
    'INSERT INTO customers VALUES ($1, $2)',
  ],
  'UPDATE that moves rows of customers to another site': [
    'UPDATE customers SET site_id = $1 WHERE site_id = $3',
    'UPDATE customers SET (id, site_id) = ($2, $1) WHERE site_id = $3',
    'INSERT INTO customers (site_id, id) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET site_id = $1',
  ],
  'SELECT on entries with neither LIMIT nor a unique key': [
    'SELECT e.id FROM entries e WHERE e.site_id = $1 AND e.channel_uid = $2',
    'SELECT e.id FROM entries e WHERE e.site_id = $1 LIMIT ALL',
    'SELECT 1 FROM entries e WHERE e.site_id = $1 AND e.slug = $2',
    'SELECT 1 FROM entries e WHERE e.site_id = $1 AND (e.id = $2 OR e.slug = $3)',
    'SELECT 1 FROM entries e WHERE e.site_id = $1 AND e.id = ANY($2::uuid[])',
    'SELECT 1 FROM (SELECT 1 FROM entries e WHERE e.site_id = $1) AS all_of_them LIMIT 1',
    'SELECT count(*) OVER (), e.id FROM entries e WHERE e.site_id = $1',
  ],
};

describe.each(Object.entries(faulty))('finds: %s', (fault, statements) => {
  test.each(statements)('the judge reports the statement %s', (sql) => {
    expect(judge.faultsOf(sql)).toEqual([fault]);
  });
});

test.each([
  'TRUNCATE channels',
  'LOCK TABLE customers',
  'COPY entries TO STDOUT',
  `DO $$\nBEGIN DELETE FROM\nentries; END $$`,
  'CREATE TABLE copy AS SELECT * FROM entries WHERE site_id = $1 LIMIT 1',
  'MERGE INTO entries e USING channels c ON TRUE WHEN MATCHED THEN DELETE',
  'SELECT 1 FROM sites UNION SELECT 2 ORDER BY (SELECT count(*) FROM entries)',
  'SELECT 1 FROM entries TABLESAMPLE SYSTEM (1) WHERE site_id = $1 LIMIT 1',
  'SELECT 1 FROM entries e WHERE (e.site_id = $1 LIMIT 1',
  `SELECT 'unclosed FROM entries`,
  'VACUUM (ANALYZE) public.entries; DELETE FROM entries',
  'VACUUM FULL entries',
])('a statement that hides a site’s table from the judge is reported: %s', (sql) => {
  expect(judge.faultsOf(sql)).not.toEqual([]);
});

test('the judge’s tables of sites are those of the schema that docs/contract.md §1 does not call global', () => {
  expect(siteTables().sort()).toEqual(expect.arrayContaining(['channels', 'customers', 'entries', 'sessions']));
  for (const table of ['sites', 'users', 'memberships', 'tokens']) expect(siteTables()).not.toContain(table);
  expect(siteTables('model Tag {\n  siteId String\n  @@map("tags")\n}\nmodel Note {\n  siteId String\n}\n')).toEqual([
    'tags',
    'Note',
  ]);
});

test('the service itself never marks a statement as a test’s', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const marked = files.filter((name) => readFileSync(join(root, 'src', name), 'utf8').includes(testMark));
  expect(files.length).toBeGreaterThan(50);
  expect(marked).toEqual([]);
});
