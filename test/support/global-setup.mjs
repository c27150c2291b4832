// Runs once in jest's parent process. Our own runner migrates one database of each kind, which the tests then copy: for
// the embedded one a dump in node_modules/.cache, which later runs use again; for PostgreSQL a template on the server.
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { tsImport } from 'tsx/esm/api';
import { createDatabase, query } from '../../scripts/citus.mjs';

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/entryway');
const duplicateDatabase = '42P04';
const keepFor = 24 * 60 * 60 * 1000;

export default async function globalSetup() {
  mkdirSync(cache, { recursive: true });
  const pglite = readFileSync(join(root, 'node_modules/@electric-sql/pglite/package.json'));
  const migrations = migrationFiles().map((file) => readFileSync(file));
  const made = readFileSync(import.meta.filename);
  process.env.TEST_EMPTY_SNAPSHOT = snapshotFile('empty', [pglite]);
  process.env.TEST_MIGRATED_SNAPSHOT = snapshotFile('migrated', [pglite, made, ...migrations]);
  removeOld();
  await makeSnapshots();
  if (process.env.TEST_DATABASE_URL) {
    process.env.TEST_TEMPLATE = `entryway_template_${digest(migrations)}`;
    const nodes = process.env.TEST_CITUS_NODES?.split(' ');
    if (nodes) await makeDistributedTemplate(nodes, process.env.TEST_TEMPLATE);
    else await makeTemplate(process.env.TEST_DATABASE_URL, process.env.TEST_TEMPLATE);
  }
}

/** Whatever the migrated database depends on: the migrations, and the runner. */
function migrationFiles() {
  const folder = join(root, 'prisma/migrations');
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const scripts = names.map(({ name }) => join(folder, name, 'migration.sql')).sort();
  return [
    ...scripts,
    join(root, 'src/database/migrations/migrate.ts'),
    join(root, 'src/database/migrations/migrationStatus.ts'),
  ];
}

function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 16);
}

function snapshotFile(name, parts) {
  return join(cache, `${name}-${digest(parts)}.tar`);
}

/** Snapshots of earlier states; not the very latest, which a run beside this one may be using. */
function removeOld() {
  for (const name of readdirSync(cache)) {
    const file = join(cache, name);
    const isUsed = [process.env.TEST_EMPTY_SNAPSHOT, process.env.TEST_MIGRATED_SNAPSHOT].includes(file);
    if (!isUsed && Date.now() - statSync(file).mtimeMs > keepFor) rmSync(file);
  }
}

async function makeSnapshots() {
  const { TEST_EMPTY_SNAPSHOT: empty, TEST_MIGRATED_SNAPSHOT: migrated } = process.env;
  if (existsSync(empty) && existsSync(migrated)) return;
  const database = await PGlite.create();
  try {
    await dump(database, empty);
    await migrate({
      exec: (sql) => database.exec(sql),
      query: async (sql, parameters) => (await database.query(sql, parameters)).rows,
    });
    await dropTemplates(database);
    await dump(database, migrated);
  } finally {
    await database.close();
  }
}

/** Drops the databases that a server makes further ones of: no test does, and each would unpack them. */
async function dropTemplates(database) {
  for (const name of ['template0', 'template1']) {
    await database.exec(`ALTER DATABASE ${name} IS_TEMPLATE false`);
    await database.exec(`DROP DATABASE ${name}`);
  }
}

/** Under another name first: a run beside this one never sees half a file. */
async function dump(database, file) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, Buffer.from(await (await database.dumpDataDir('none')).arrayBuffer()));
  renameSync(draft, file);
}

async function makeTemplate(serverUrl, name) {
  await withClient(serverUrl, async (server) => {
    const { rowCount } = await server.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount > 0) return;
    const draft = `${name}_${randomBytes(4).toString('hex')}`;
    await server.query(`CREATE DATABASE ${draft}`);
    await withClient(Object.assign(new URL(serverUrl), { pathname: `/${draft}` }).href, (client) =>
      migrate({
        exec: (sql) => client.query(sql),
        query: async (sql, parameters) => (await client.query(sql, parameters)).rows,
      }),
    );
    try {
      await server.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
    } catch (error) {
      // A run beside this one has made it meanwhile.
      if (error.code !== duplicateDatabase) throw error;
      await server.query(`DROP DATABASE ${draft}`);
    }
  });
}

/** The same, distributed over the nodes of Citus by our own command; with few shards, because each copy copies them. */
async function makeDistributedTemplate(nodes, name) {
  const known = await query(nodes[0], 'SELECT FROM pg_database WHERE datname = $1', [name]);
  if (known.length > 0) return;
  const DATABASE_URL = await createDatabase(nodes, name);
  for (const words of [['migrate'], ['distribute', '--shards', '4']]) {
    execFileSync(process.execPath, [join(root, 'dist/main.js'), ...words], {
      env: { ...process.env, DATABASE_URL },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
}

async function withClient(url, work) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function migrate(session) {
  const runner = await tsImport('../../src/database/migrations/migrate.ts', import.meta.url);
  await runner.migrate({ session: (work) => work(session) });
}
