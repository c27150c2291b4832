// Compares the migrations in prisma/migrations with the table "_prisma_migrations". The table is Prisma's, so that
// Prisma's command line works on databases that this service has migrated, and vice versa.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SqlSession } from '../database.ts';

/** The relative path is the same from src/database/migrations/ and from dist/database/migrations/. */
export const migrationsDirectory = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

/** The table as Prisma creates it. */
export const createMigrationsTable = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                    VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum"              VARCHAR(64) NOT NULL,
    "finished_at"           TIMESTAMPTZ,
    "migration_name"        VARCHAR(255) NOT NULL,
    "logs"                  TEXT,
    "rolled_back_at"        TIMESTAMPTZ,
    "started_at"            TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count"   INTEGER NOT NULL DEFAULT 0
  )`;

export interface Migration {
  name: string;
  sql: string;
  /** SHA-256 of the file's bytes, in hex. */
  checksum: string;
}

/**
 * `pending`: in the folder, not yet in the database; `applied`: in both, and finished; `failed`: started in the database and
 * not finished; `missing`: in the database, not in the folder; `edited`: the folder's file is not the one that was applied.
 */
export type MigrationState = 'applied' | 'pending' | 'failed' | 'missing' | 'edited';

export interface MigrationStatus {
  name: string;
  state: MigrationState;
  /** The database's error message, if it failed. */
  logs: string | null;
}

/** A row of the table that is not marked as rolled back. */
interface Applied {
  name: string;
  checksum: string;
  finished: boolean;
  logs: string | null;
}

/** Reads the migrations of a folder, in order. */
export function readMigrations(directory: string): Migration[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const sql = readFileSync(join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: hashScript(sql) };
    });
}

/** Determines the state of each migration, in order, by two quick queries. */
export async function compareMigrations(session: SqlSession, migrations: Migration[]): Promise<MigrationStatus[]> {
  const rows = await readApplied(session);
  const names = new Set([...migrations.map(({ name }) => name), ...rows.map(({ name }) => name)]);
  return [...names].sort().map((name) => {
    const itsRows = rows.filter((row) => row.name === name);
    const migration = migrations.find((candidate) => candidate.name === name);
    const logs = itsRows.find(({ finished }) => !finished)?.logs ?? null;
    return { name, state: classifyMigration(migration, itsRows), logs };
  });
}

async function readApplied({ query }: SqlSession): Promise<Applied[]> {
  const [table] = await query<{ exists: boolean }>(
    `SELECT to_regclass('"_prisma_migrations"') IS NOT NULL AS "exists"`,
  );
  if (table?.exists !== true) return [];
  return query<Applied>(`
    SELECT "migration_name" AS "name", "checksum", "finished_at" IS NOT NULL AS "finished", "logs"
    FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL ORDER BY "started_at"`);
}

function classifyMigration(migration: Migration | undefined, rows: Applied[]): MigrationState {
  if (migration === undefined) return 'missing';
  if (rows.some(({ finished }) => !finished)) return 'failed';
  if (rows.length === 0) return 'pending';
  const accepted = acceptedChecksums(migration.sql);
  return rows.every(({ checksum }) => accepted.includes(checksum)) ? 'applied' : 'edited';
}

/** The checksums of a script with either line ending: a checkout on Windows may differ. Prisma accepts both, too. */
function acceptedChecksums(sql: string): string[] {
  const unix = sql.replaceAll('\r\n', '\n');
  return [sql, unix, unix.replaceAll('\n', '\r\n')].map(hashScript);
}

function hashScript(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}
