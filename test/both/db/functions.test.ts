// The database's functions and composite types have a source (prisma/functions/), from which the next migration is written.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { compareFunctions, migrationStatements, readSources, type Source } from '../../../scripts/functions.mjs';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { citusNodes, testDatabase } from '../../support/db.ts';

// `entryway distribute` replaces one function, by which the others know.
const sources = readSources(join(import.meta.dirname, '../../../prisma/functions')).map((source) =>
  citusNodes !== null && source.name === 'entryway_is_distributed'
    ? { ...source, sql: source.sql.replace('SELECT FALSE', 'SELECT TRUE') }
    : source,
);
let database: PlainDatabase;

beforeAll(async () => {
  database = await testDatabase();
});

afterAll(() => database.close());

function compare(changed: readonly Source[]): ReturnType<typeof compareFunctions> {
  return database.session((session) => compareFunctions(session, changed));
}

/** The sources with another text of one of them. */
function withText(name: string, edit: (sql: string) => string): Source[] {
  return sources.map((source) => (source.name === name ? { name, sql: edit(source.sql) } : source));
}

test('a migrated database has each function and type of prisma/functions/ as its file says, and no other', async () => {
  expect(await compare(sources)).toEqual([]);
});

test('a migration is written that replaces changed functions, adds new ones, and drops those without a file', async () => {
  const added = `CREATE FUNCTION "entryway_added"() RETURNS TEXT LANGUAGE sql AS 'SELECT 1::TEXT';\n`;
  const changed = withText('entryway_stored', (sql) => sql.replace('STABLE', 'IMMUTABLE'))
    .filter(({ name }) => name !== 'entryway_fold_unicode')
    .concat({ name: 'entryway_added', sql: added });
  const differences = await compare(changed);
  expect(
    differences.map(({ signature, before, after }) => [signature, before !== null, after !== null]).sort(),
  ).toEqual([
    ['entryway_added()', false, true],
    ['entryway_fold_unicode(text)', true, false],
    ['entryway_stored(record)', true, true],
  ]);
  const statements = migrationStatements(differences, changed);
  expect(statements).toHaveLength(3);
  await database.session(async (session) => {
    for (const statement of statements) await session.exec(statement);
  });
  expect(await compare(changed)).toEqual([]);
});

test('a parameter with a default is added under a statement that was prepared before, as by a process of the release before', async () => {
  const changed = withText('entryway_index_key', (sql) =>
    sql.replace('"given" TEXT', '"given" TEXT, "added" TEXT DEFAULT NULL'),
  );
  const differences = await compare(changed);
  await database.session(async ({ exec, query }) => {
    await exec(`BEGIN; PREPARE "before" AS SELECT entryway_index_key("value" => '7', "given" => 'key') AS "key"`);
    for (const statement of migrationStatements(differences, changed)) await exec(statement);
    expect(await query('EXECUTE "before"')).toEqual([{ key: 'key' }]);
    await exec('ROLLBACK; DEALLOCATE "before"');
  });
});

test('functions are created after those that they name', () => {
  const places = new Map(sources.map(({ name }, place) => [name, place]));
  const type = places.get('entryway_past_entry') ?? NaN;
  expect(places.get('entryway_record_past')).toBeGreaterThan(type);
  expect(places.get('entryway_delete_entry')).toBeGreaterThan(places.get('entryway_record_past') ?? NaN);
});

test('a migration of a changed type is refused, because processes of the release before use it', async () => {
  const changed = withText('entryway_held_channel', (sql) =>
    sql.replace('"sight_version" INTEGER', '"sight_version" BIGINT'),
  );
  const differences = await compare(changed);
  expect(() => migrationStatements(differences, changed)).toThrow('entryway_held_channel');
});

test('the migration does not replace the function that recognizes distributed tables', async () => {
  const changed = withText('entryway_is_distributed', (sql) => sql.replace(/SELECT \w+/, 'SELECT NULL::BOOLEAN'));
  const differences = await compare(changed);
  expect(() => migrationStatements(differences, changed)).toThrow('entryway_is_distributed');
});

test('a function in a file with another name is refused', async () => {
  const misplaced = withText('entryway_digest', (sql) => sql.replace('"entryway_digest"', '"entryway_digested"'));
  await expect(compare(misplaced)).rejects.toThrow('entryway_digested, entryway_digest');
});
