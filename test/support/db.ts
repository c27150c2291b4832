// Databases for tests: each call gives one of its own, of the kind that the jest project at hand is about. Close it.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { DatabaseClient } from '../../src/database/client.ts';
import type { PlainDatabase } from '../../src/database/database.ts';
import { openEmbedded } from '../../src/database/embedded/embedded.ts';
import { openDatabase } from '../../src/database/open/open.ts';
import { openPostgresql } from '../../src/database/open/postgresql.ts';
import { databaseAt } from '../../src/database/siteDatabase.ts';
import { createDatabase, databaseUrl, dropDatabase } from '../../scripts/citus.mjs';

/** The kind of database that this project tests, from jest.config.mjs. */
export const databaseKind = (globalThis as { testDatabase?: 'embedded' | 'postgresql' }).testDatabase;

/** The servers of Citus that the tests run on, the coordinator first; null: it is plain PostgreSQL. */
export const citusNodes = process.env['TEST_CITUS_NODES']?.split(' ') ?? null;

/** How many servers have the tables: on each, a process has as many connections. */
export const serverCount = citusNodes?.length ?? 1;

/** Opens the database that a configuration names, with the client's plain methods for entries, which the service does without. */
export async function openPlain(config: Parameters<typeof openDatabase>[0]): Promise<PlainDatabase> {
  return (await openDatabase(config)) as PlainDatabase;
}

/**
 * The client with which the demo site is made: where the tables are distributed, the service makes a site's channels on the node that
 * has the site, because a transaction over two nodes cannot notify of them.
 */
export function demoClient(database: PlainDatabase): DatabaseClient {
  return databaseAt(database, 'demo').prisma;
}

/** A fresh, migrated, empty database; `close` drops it. */
export async function testDatabase(): Promise<PlainDatabase> {
  return databaseKind === 'postgresql' ? openCopy(variable('TEST_TEMPLATE')) : openSnapshot('TEST_MIGRATED_SNAPSHOT');
}

/** A fresh, migrated, empty database of the embedded kind, in memory, whatever the project is about. */
export async function embeddedDatabase(): Promise<PlainDatabase> {
  return openSnapshot('TEST_MIGRATED_SNAPSHOT');
}

/** The same in a thread of its own, as the service's is: the statements are not watched there (test/support/watch/). */
export async function threadedDatabase(): Promise<PlainDatabase> {
  return openSnapshot('TEST_MIGRATED_SNAPSHOT', true);
}

/** A fresh database without any table; `close` drops it. */
export async function emptyDatabase(): Promise<PlainDatabase> {
  return databaseKind === 'postgresql' ? openCopy('template1') : openSnapshot('TEST_EMPTY_SNAPSHOT');
}

export interface ServerDatabase {
  readonly url: string;
  /** Ends whatever connections there are. */
  readonly drop: () => Promise<void>;
}

/** PostgreSQL only: the URL of a fresh, migrated, empty database, for tests that start processes. */
export async function testDatabaseUrl(): Promise<ServerDatabase> {
  return createCopy(variable('TEST_TEMPLATE'));
}

/** PostgreSQL only: the same, without any table. */
export async function emptyDatabaseUrl(): Promise<ServerDatabase> {
  return createCopy('template1');
}

async function openSnapshot(name: string, inThread = false): Promise<PlainDatabase> {
  const bytes = readFileSync(variable(name));
  // A thread gets a copy, and a copy of our own class would be empty.
  return openEmbedded({ loadDataDir: inThread ? new Blob([bytes]) : new Snapshot(bytes), inThread });
}

/** A dump whose bytes PGlite reads as they are: a Blob would copy all of them, part by part. */
class Snapshot extends Blob {
  readonly #bytes: ArrayBuffer;

  constructor({ buffer, byteOffset, byteLength }: Buffer<ArrayBuffer>) {
    super([]);
    this.#bytes = byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.resolve(this.#bytes);
  }
}

async function openCopy(template: string): Promise<PlainDatabase> {
  const { url, drop } = await createCopy(template);
  const database = await openPostgresql({ databaseUrl: url, databasePool: 10 });
  const close = database.close.bind(database);
  let closing: Promise<void> | undefined;
  database.close = () => (closing ??= close().then(drop));
  return database;
}

async function createCopy(template: string): Promise<ServerDatabase> {
  const serverUrl = variable('TEST_DATABASE_URL');
  const name = `entryway_test_${randomBytes(8).toString('hex')}`;
  const nodes = template === 'template1' ? null : citusNodes;
  if (nodes === null) await onServer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  else await createDatabase(nodes, name, template);
  return {
    url: databaseUrl(serverUrl, name),
    drop: () =>
      nodes === null ? onServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) : dropDatabase(nodes, name),
  };
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run the tests through scripts/test.mjs`);
  return value;
}
