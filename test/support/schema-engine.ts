// Prisma's schema engine as WebAssembly, on an embedded database: the judge of whether our migrations, and the table that our
// own runner leaves, are what Prisma itself would accept. The stock driver adapter is unsafe for this: it does not wait for a
// script, so that one that fails counts as applied, and its shadow databases cannot be closed.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { DriverAdapterError, bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import type pg from 'pg';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import type { Database } from '../../src/database/database.ts';
import { openEmbedded } from '../../src/database/embedded/embedded.ts';

export const schemaPath = join(import.meta.dirname, '../../prisma/schema.prisma');

/** No table and no enum is left out of what the engine looks at. */
export const noFilters: bindings.SchemaFilter = { externalTables: [], externalEnums: [] };

/** What we use of it; its types come with the browser's, which have no place here. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
};

let isLoaded = false;

export interface EngineDatabase {
  readonly engine: bindings.SchemaEngine;
  /** Opens what the engine leaves as our code does. */
  readonly reopen: () => Promise<Database>;
  readonly close: () => Promise<void>;
}

/**
 * The engine on a fresh database.
 * @param state `empty`: without any table; `migrated`: by our own runner
 */
export async function engineDatabase(state: 'empty' | 'migrated'): Promise<EngineDatabase> {
  const pglite = await fromSnapshot(state === 'empty' ? 'TEST_EMPTY_SNAPSHOT' : 'TEST_MIGRATED_SNAPSHOT');
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

/** From a file of global-setup.mjs, which takes a fraction of the time of making a database. */
function fromSnapshot(name: string): Promise<PGlite> {
  return PGlite.create({ loadDataDir: new Blob([readFileSync(process.env[name] ?? '')]) });
}

/** The engine, talking to the database that `factory` connects to. */
async function openEngine(factory: SqlMigrationAwareDriverAdapterFactory): Promise<bindings.SchemaEngine> {
  if (!isLoaded) loadWasm();
  isLoaded = true;
  const datamodels: [string, string][] = [[schemaPath, readFileSync(schemaPath, 'utf8')]];
  const ignoreLog = (): void => undefined;
  return bindings.SchemaEngine.new({ datamodels }, ignoreLog, bindMigrationAwareSqlAdapterFactory(factory));
}

function loadWasm(): void {
  const script = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const module = new WebAssembly.Module(readFileSync(script.replace(/\.js$/, '.wasm')));
  // The engine never clears the timer of its wait for the advisory lock, which would hold the process for 10 seconds.
  const setTimeoutUnref = (callback: () => void, delay: number): NodeJS.Timeout => setTimeout(callback, delay).unref();
  const imports = Object.entries(bindings).map(([name, binding]) =>
    name.startsWith('__wbg_setTimeout_') ? [name, setTimeoutUnref] : [name, binding],
  );
  const { exports } = new WebAssembly.Instance(module, {
    './schema_engine_bg.js': Object.fromEntries(imports) as Record<string, unknown>,
  });
  bindings.__wbg_set_wasm(exports);
  (exports['__wbindgen_start'] as () => void)();
}

/** A folder of migrations, as the engine wants it told. */
export function listMigrations(baseDir: string): bindings.MigrationList {
  const names = readdirSync(baseDir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: names
      .map(({ name }) => name)
      .sort()
      .map((path) => ({
        path,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok', value: readFileSync(join(baseDir, path, 'migration.sql'), 'utf8') },
        },
      })),
  };
}

/** Connects to an open PGlite; waits for scripts, and makes shadow databases that can be closed. */
function safePGlite(database: PGlite): SqlMigrationAwareDriverAdapterFactory {
  const stock = new PrismaPGlite(database);
  return {
    provider: stock.provider,
    adapterName: stock.adapterName,
    connect: async () => withScripts(await stock.connect(), (script) => database.exec(script)),
    connectToShadowDb: shadowDatabase,
  };
}

async function shadowDatabase(): Promise<SqlDriverAdapter> {
  const shadow = await fromSnapshot('TEST_EMPTY_SNAPSHOT');
  const adapter = withScripts(await new PrismaPGlite(shadow).connect(), (script) => shadow.exec(script));
  adapter.dispose = () => shadow.close();
  return adapter;
}

/** Runs scripts as one simple query: whole, waited for, and as one transaction unless they say otherwise. */
function withScripts<Adapter extends SqlDriverAdapter>(
  adapter: Adapter,
  run: (script: string) => Promise<unknown>,
): Adapter {
  adapter.executeScript = async (script) => {
    try {
      await run(script);
    } catch (error) {
      throw asDriverError(error);
    }
  };
  return adapter;
}

/** The form in which the engine understands an error of the database, so that it records the migration as failed. */
function asDriverError(error: unknown): unknown {
  const { code, severity, message, detail, column, hint } = error as Partial<pg.DatabaseError>;
  if (code === undefined || severity === undefined || message === undefined) return error;
  return new DriverAdapterError({
    kind: 'postgres',
    originalCode: code,
    originalMessage: message,
    code,
    severity,
    message,
    detail,
    column,
    hint,
  });
}
