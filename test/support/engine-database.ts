// A fresh database of the project's kind with Prisma's schema engine on it, which our own code can then be put to.
import { readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import type { SchemaEngine } from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';
import type { Database } from '../../src/database/database.ts';
import { openEmbedded } from '../../src/database/embedded.ts';
import { openPostgresql } from '../../src/database/postgresql.ts';
import { databaseKind, emptyDatabaseUrl, testDatabaseUrl } from './db.ts';
import { safePGlite, safePg, openEngine } from './schema-engine.ts';

export interface EngineDatabase {
  readonly engine: SchemaEngine;
  /** Ends the engine, and opens what it leaves as our code does. */
  readonly reopen: () => Promise<Database>;
  readonly close: () => Promise<void>;
}

/** @param state `empty`: without any table; `migrated`: by our own runner */
export async function engineDatabase(state: 'empty' | 'migrated'): Promise<EngineDatabase> {
  return databaseKind === 'postgresql' ? onServer(state) : onPGlite(state);
}

async function onPGlite(state: 'empty' | 'migrated'): Promise<EngineDatabase> {
  const snapshot = process.env[state === 'empty' ? 'TEST_EMPTY_SNAPSHOT' : 'TEST_MIGRATED_SNAPSHOT'] ?? '';
  const pglite = await PGlite.create({ loadDataDir: new Blob([readFileSync(snapshot)]) });
  const opened: Database[] = [];
  return {
    engine: await openEngine(safePGlite(pglite)),
    reopen: async () => {
      const database = await openEmbedded({ loadDataDir: await pglite.dumpDataDir('none') });
      opened.push(database);
      return database;
    },
    close: async () => {
      for (const database of opened) await database.close();
      await pglite.close();
    },
  };
}

async function onServer(state: 'empty' | 'migrated'): Promise<EngineDatabase> {
  const { url, drop } = await (state === 'empty' ? emptyDatabaseUrl() : testDatabaseUrl());
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const opened: Database[] = [];
  const endEngine = async (): Promise<void> => {
    // The engine keeps its advisory lock for as long as its connection lives.
    if (!pool.ending) await pool.end();
  };
  return {
    engine: await openEngine(safePg(pool)),
    reopen: async () => {
      await endEngine();
      const database = await openPostgresql({ databaseUrl: url, databasePool: 2 });
      opened.push(database);
      return database;
    },
    close: async () => {
      for (const database of opened) await database.close();
      await endEngine();
      await drop();
    },
  };
}
