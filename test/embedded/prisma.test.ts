// Prisma's own schema engine as the judge: of the table that our runner leaves, of our runner on a database that Prisma
// migrated, and of whether the migrations produce prisma/schema.prisma.
import { afterEach, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { migrate, migrationStatus } from '../../src/database/migrations/migrate.ts';
import { migrationsDirectory, readMigrations } from '../../src/database/migrations/migrationStatus.ts';
import {
  engineDatabase,
  listMigrations,
  noFilters as filters,
  schemaPath,
  type EngineDatabase,
} from '../support/schema-engine.ts';
import { migrationsFolder, removeScratch } from '../support/scratch.ts';

const names = readMigrations(migrationsDirectory).map(({ name }) => name);

let database: EngineDatabase | undefined;

afterEach(async () => {
  await database?.close();
  database = undefined;
  removeScratch();
});

describe('a database that our runner migrated', () => {
  test('a database that our runner migrated is in order, and up to date, by the diagnosis of Prisma', async () => {
    database = await engineDatabase('migrated');
    const migrationsList = listMigrations(migrationsDirectory);
    expect(
      await database.engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: true, filters }),
    ).toEqual({ hasMigrationsTable: true, history: null, failedMigrationNames: [], editedMigrationNames: [] });
    expect(await database.engine.applyMigrations({ migrationsList, filters })).toEqual({ appliedMigrationNames: [] });
    expect(await database.engine.devDiagnostic({ migrationsList, filters })).toEqual({
      action: { tag: 'createMigration' },
    });
  });

  test('a migration that Prisma applied counts as applied for our runner, which has nothing left to do', async () => {
    database = await engineDatabase('empty');
    const folder = migrationsFolder({ '1_first': 'CREATE TABLE "a" ("id" INTEGER PRIMARY KEY);' });
    const migrationsList = listMigrations(folder);
    expect(await database.engine.applyMigrations({ migrationsList, filters })).toEqual({
      appliedMigrationNames: ['1_first'],
    });
    const ours = await database.reopen();
    expect(await migrationStatus(ours, { directory: folder })).toEqual([
      { name: '1_first', state: 'applied', logs: null },
    ]);
    expect(await migrate(ours, { directory: folder })).toEqual([]);
  });
});

test('a migration that failed in Prisma is reported as failed by Prisma and by our runner', async () => {
  database = await engineDatabase('empty');
  const migrationsList = listMigrations(migrationsFolder({ '1_first': 'SELECT * FROM "nowhere";' }));
  await expect(database.engine.applyMigrations({ migrationsList, filters })).rejects.toThrow('nowhere');
  const diagnosis = { migrationsList, optInToShadowDatabase: false, filters };
  expect(await database.engine.diagnoseMigrationHistory(diagnosis)).toMatchObject({
    failedMigrationNames: ['1_first'],
  });
  const ours = await database.reopen();
  await expect(migrate(ours, { directory: migrationsList.baseDir })).rejects.toThrow(/1_first failed.*nowhere/);
});

describe('the migrations', () => {
  /** Whether the migrations make what a schema says, and a script of the difference. */
  async function differenceFrom(content: string): Promise<{ exitCode: number; stdout: string | null }> {
    database = await engineDatabase('migrated');
    return database.engine.diff({
      from: { tag: 'migrations', ...listMigrations(migrationsDirectory) },
      to: { tag: 'schemaDatamodel', files: [{ path: schemaPath, content }] },
      script: true,
      exitCode: true,
      filters,
    });
  }
  const schema = readFileSync(schemaPath, 'utf8');

  test('the migrations produce exactly prisma/schema.prisma', async () => {
    expect(names.length).toBeGreaterThan(0);
    const { exitCode, stdout } = await differenceFrom(schema);
    expect(stdout?.trim()).toBe('-- This is an empty migration.');
    expect(exitCode).toBe(0);
  });

  test('a difference between the migrations and a schema is detected', async () => {
    const other = schema.replace('@unique @db.VarChar(320)', '@db.VarChar(321)');
    expect((await differenceFrom(other)).exitCode).toBe(2);
  });
});
