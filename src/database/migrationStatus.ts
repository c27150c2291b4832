// What the migrations in prisma/migrations and the table "_prisma_migrations" say of each other. The table is Prisma's:
// its own command line works on a database that we migrated, and we on one that it did.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SqlSession } from './database.ts';

/** Two levels up from src/db as from dist/db. */
export const migrationsDirectory = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** As Prisma makes it. */
export const createTable = `
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
  /** Of the file as it is: SHA-256 in hex. */
  checksum: string;
}

/**
 * Of a migration: in the folder and not (`pending`) or well and truly (`applied`) in the database; begun there and not
 * finished (`failed`); in the database and no longer (`missing`) or no longer the same (`edited`) in the folder.
 */
export type MigrationState = 'applied' | 'pending' | 'failed' | 'missing' | 'edited';

export interface MigrationStatus {
  name: string;
  state: MigrationState;
  /** Of a failed one: what the database said. */
  logs: string | null;
}

/** A row of the table that was not marked as rolled back. */
interface Applied {
  name: string;
  checksum: string;
  finished: boolean;
  logs: string | null;
}

/** The migrations of a folder, in their order. */
export function readMigrations(directory: string): Migration[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const sql = readFileSync(join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: checksumOf(sql) };
    });
}

/** Where each migration stands, in their order. Two quick queries. */
export async function compare(session: SqlSession, migrations: Migration[]): Promise<MigrationStatus[]> {
  const rows = await readApplied(session);
  const names = new Set([...migrations.map(({ name }) => name), ...rows.map(({ name }) => name)]);
  return [...names].sort().map((name) => {
    const itsRows = rows.filter((row) => row.name === name);
    const migration = migrations.find((candidate) => candidate.name === name);
    const logs = itsRows.find(({ finished }) => !finished)?.logs ?? null;
    return { name, state: stateOf(migration, itsRows), logs };
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

function stateOf(migration: Migration | undefined, rows: Applied[]): MigrationState {
  if (migration === undefined) return 'missing';
  if (rows.some(({ finished }) => !finished)) return 'failed';
  if (rows.length === 0) return 'pending';
  const accepted = acceptedChecksums(migration.sql);
  return rows.every(({ checksum }) => accepted.includes(checksum)) ? 'applied' : 'edited';
}

/** Line ends may differ between a checkout on Windows and one elsewhere, as Prisma grants too. */
function acceptedChecksums(sql: string): string[] {
  const unix = sql.replaceAll('\r\n', '\n');
  return [sql, unix, unix.replaceAll('\n', '\r\n')].map(checksumOf);
}

function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}
