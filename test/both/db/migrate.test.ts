// The migration runner: what it applies, refuses and leaves behind, and that Prisma's own engine agrees with it.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { MigrationError, migrate, migrationStatus } from '../../../src/database/migrations/migrate.ts';
import { migrationsDirectory, readMigrations } from '../../../src/database/migrations/migrationStatus.ts';
import { emptyDatabase, testDatabase } from '../../support/db.ts';
import { migrationsFolder, removeScratch, writeMigrations } from '../../support/scratch.ts';

const first = { '1_first': 'CREATE TABLE "a" ("id" INTEGER PRIMARY KEY);' };
const second = { '2_second': 'CREATE TABLE "b" ("id" INTEGER PRIMARY KEY);' };
/** Its first statement succeeds, its second does not. */
const broken = { '2_second': 'CREATE TABLE "b" ("id" INTEGER);\nSELECT * FROM "nowhere";' };

let database: PlainDatabase;

beforeAll(async () => {
  database = await emptyDatabase();
});

afterEach(async () => {
  await database.session((session) => session.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
  removeScratch();
});

afterAll(() => database.close());

function rows<Row>(sql: string): Promise<Row[]> {
  return database.session((session) => session.query<Row>(sql));
}

function record(): Promise<Record<string, unknown>[]> {
  return rows(
    `SELECT "migration_name", "checksum", "finished_at" IS NOT NULL AS "finished", "rolled_back_at" IS NOT NULL AS "undone",
            "logs", "applied_steps_count" AS "steps", "started_at" <= now() AS "started", length("id") AS "idLength"
     FROM "_prisma_migrations" ORDER BY "started_at", "migration_name"`,
  );
}

async function hasTable(name: string): Promise<boolean> {
  const found = await rows<{ found: boolean }>(`SELECT to_regclass('${name}') IS NOT NULL AS "found"`);
  return found[0]?.found ?? false;
}

function refusal(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: unknown) => error as Error,
  );
}

describe('applying', () => {
  test('the package’s migrations make a database that Prisma can use, recorded as by Prisma', async () => {
    const own = readMigrations(migrationsDirectory);
    expect(await migrate(database)).toEqual(own.map(({ name }) => name));
    expect(await database.prisma.site.count()).toBe(0);
    expect(await record()).toEqual(
      own.map(({ name, checksum }) => ({
        migration_name: name,
        checksum,
        finished: true,
        undone: false,
        logs: null,
        steps: 1,
        started: true,
        idLength: 36,
      })),
    );
  });

  test('a second run without pending migrations does nothing and takes no lock', async () => {
    const directory = migrationsFolder(first);
    await migrate(database, { directory });
    const before = await record();
    const statements: string[] = [];
    const watched = withStatements(database, statements);
    expect(await migrate(watched, { directory })).toEqual([]);
    expect(await record()).toEqual(before);
    expect(statements.length).toBeLessThanOrEqual(2);
    expect(statements.join()).not.toContain('advisory');
  });

  test('only pending migrations are applied, in the order of their names', async () => {
    const directory = migrationsFolder(first);
    await migrate(database, { directory });
    writeMigrations(directory, { '3_third': 'CREATE INDEX ON "b" ("id");', ...second });
    expect(await migrate(database, { directory })).toEqual(['2_second', '3_third']);
  });

  test('the migration of html texts rebuilds channels with an html field, and that of word forms all channels', async () => {
    const own = readMigrations(migrationsDirectory);
    const before = own.slice(
      0,
      own.findIndex(({ name }) => name.endsWith('_html_text')),
    );
    await migrate(database, {
      directory: migrationsFolder(Object.fromEntries(before.map(({ name, sql }) => [name, sql]))),
    });
    // The client knows columns that later migrations add.
    const site = 'upgraded';
    await database.prisma.$executeRaw`INSERT INTO sites (id, name, created_at) VALUES (${site}, ${site}, now())`;
    const definitions = {
      pages: [
        { name: 'n', type: 'integer' },
        { name: 'page', type: 'html' },
      ],
      numbers: [{ name: 'html', type: 'integer' }],
      anything: [],
    };
    for (const [id, fields] of Object.entries(definitions)) {
      await database.prisma.$executeRaw`
        INSERT INTO channels (site_id, uid, id, name, publishable, create_scope, read_scope, update_scope, delete_scope,
          title_field, language, fields, created_at, updated_at)
        VALUES (${site}, gen_random_uuid(), ${id}, ${id}, FALSE, 'none', 'none', 'none', 'none', 'title', 'simple',
          ${JSON.stringify(fields)}::jsonb, now(), now())`;
    }
    await migrate(database);
    const channels = await database.prisma.channel.findMany({ where: { siteId: site }, orderBy: { id: 'asc' } });
    // `search_forms` has the entries of all channels derived again.
    expect(
      channels.map(({ id, version, fieldsVersion, derivedVersion }) => [id, version, fieldsVersion, derivedVersion]),
    ).toEqual([
      ['anything', 2, 2, 1],
      ['numbers', 2, 2, 1],
      ['pages', 3, 3, 1],
    ]);
  });

  test('dollar-quoted bodies are run as one statement', async () => {
    const body = `CREATE FUNCTION "twice"("n" INTEGER) RETURNS INTEGER LANGUAGE plpgsql AS $$
      DECLARE "result" INTEGER; BEGIN "result" := 2 * "n"; RETURN "result"; END $$;`;
    await migrate(database, { directory: migrationsFolder({ '1_function': body }) });
    expect(await rows('SELECT "twice"(21) AS "answer"')).toEqual([{ answer: 42 }]);
  });

  test('a migration with other line ends does not count as edited', async () => {
    const directory = migrationsFolder({ '1_first': 'CREATE TABLE "a" (\n"id" INTEGER);\n' });
    await migrate(database, { directory });
    writeMigrations(directory, { '1_first': 'CREATE TABLE "a" (\r\n"id" INTEGER);\r\n' });
    expect(await migrate(database, { directory })).toEqual([]);
  });
});

describe('a migration that fails', () => {
  test('a failed migration leaves only its record, with its name and reason, and stops the later ones', async () => {
    const directory = migrationsFolder({ ...first, ...broken, '3_third': 'CREATE TABLE "c" ();' });
    const error = await refusal(migrate(database, { directory }));
    expect(error).toBeInstanceOf(MigrationError);
    expect(error.message).toMatch(/^The migration 2_second failed.*relation "nowhere" does not exist.*--retry-failed/);
    expect(error.message).not.toContain('\n');
    expect(await hasTable('a')).toBe(true);
    expect(await hasTable('b')).toBe(false);
    expect(await hasTable('c')).toBe(false);
    expect(await record()).toMatchObject([
      { migration_name: '1_first', finished: true },
      {
        migration_name: '2_second',
        finished: false,
        undone: false,
        steps: 0,
        logs: expect.stringContaining('nowhere'),
      },
    ]);
  });

  test('a failed migration blocks later runs, even with a corrected file, until a retry', async () => {
    const directory = migrationsFolder({ ...first, ...broken });
    await refusal(migrate(database, { directory }));
    writeMigrations(directory, second);
    const error = await refusal(migrate(database, { directory }));
    expect(error).toBeInstanceOf(MigrationError);
    expect(error.message).toMatch(
      /2_second failed.*nowhere.*"entryway migrate --retry-failed".*"prisma migrate resolve"/,
    );
    expect(await migrationStatus(database, { directory })).toMatchObject([
      { name: '1_first', state: 'applied', logs: null },
      { name: '2_second', state: 'failed', logs: expect.stringContaining('nowhere') },
    ]);

    expect(await migrate(database, { directory, retryFailed: true })).toEqual(['2_second']);
    expect(await hasTable('b')).toBe(true);
    expect(await record()).toMatchObject([
      { migration_name: '1_first', finished: true, undone: false },
      { migration_name: '2_second', finished: false, undone: true },
      { migration_name: '2_second', finished: true, undone: false },
    ]);
    expect(await migrate(database, { directory })).toEqual([]);
  });

  test('a retry of a migration that fails again is recorded again', async () => {
    const directory = migrationsFolder(broken);
    await refusal(migrate(database, { directory }));
    await refusal(migrate(database, { directory, retryFailed: true }));
    expect(await record()).toMatchObject([{ undone: true }, { undone: false, finished: false }]);
    expect((await refusal(migrate(database, { directory }))).message).toContain('--retry-failed');
  });
});

describe('a database that does not fit', () => {
  test('a database ahead of the code is refused with the name of the unknown migration', async () => {
    const directory = migrationsFolder({ ...first, ...second });
    await migrate(database, { directory });
    rmSync(join(directory, '2_second'), { recursive: true });
    writeMigrations(directory, { '3_third': 'CREATE TABLE "c" ();' });
    for (const retryFailed of [false, true]) {
      const error = await refusal(migrate(database, { directory, retryFailed }));
      expect(error).toBeInstanceOf(MigrationError);
      expect(error.message).toMatch(/ahead of this version.*2_second.*Start the version/);
    }
    expect(await hasTable('c')).toBe(false);
    expect((await migrationStatus(database, { directory })).map(({ state }) => state)).toEqual([
      'applied',
      'missing',
      'pending',
    ]);
  });

  test('a database with an applied migration that was edited is refused with its name', async () => {
    const directory = migrationsFolder(first);
    await migrate(database, { directory });
    writeMigrations(directory, { '1_first': 'CREATE TABLE "a" ("id" BIGINT PRIMARY KEY);', ...second });
    const error = await refusal(migrate(database, { directory }));
    expect(error).toBeInstanceOf(MigrationError);
    expect(error.message).toMatch(/1_first were edited/);
    expect(await hasTable('b')).toBe(false);
    expect((await migrationStatus(database, { directory })).map(({ state }) => state)).toEqual(['edited', 'pending']);
  });

  test('the status of an empty database shows all migrations as pending, and creates no table', async () => {
    const directory = migrationsFolder({ ...first, ...second });
    expect(await migrationStatus(database, { directory })).toEqual([
      { name: '1_first', state: 'pending', logs: null },
      { name: '2_second', state: 'pending', logs: null },
    ]);
    expect(await hasTable('_prisma_migrations')).toBe(false);
  });
});

/** `database`, noting each statement that runs in its sessions. */
function withStatements(database: PlainDatabase, statements: string[]): PlainDatabase {
  return {
    ...database,
    session: (work) =>
      database.session((session) =>
        work({
          exec: (sql) => {
            statements.push(sql);
            return session.exec(sql);
          },
          query: (sql, parameters) => {
            statements.push(sql);
            return session.query(sql, parameters);
          },
        }),
      ),
  };
}

test('words that a process of the release before stores are found without diacritics', async () => {
  const migrated = await testDatabase();
  try {
    const [row] = await migrated.prisma.$queryRaw<{ words: string[] }[]>`
      SELECT tsvector_to_array(entryway_search_vector(gen_random_uuid(), 'french', 'dans éléphants łódź', '', '')) AS words`;
    expect(row?.words).toEqual(expect.arrayContaining(['éleph', 'eleph', 'elephants', 'lodz']));
    expect(row?.words).not.toContain('dans');
  } finally {
    await migrated.close();
  }
});
