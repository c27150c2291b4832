// A PostgreSQL server as the database: a pool for Prisma, a connection of its own for each session and each feed.
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import type { ChangeFeed, ChangeListener, LossListener } from './changeFeed.ts';
import type { PlainDatabase, SqlSession } from './database.ts';
import { PostgresqlFeed } from './postgresqlFeed.ts';
import { within } from './timeout.ts';

const connectLimit = 5_000;
const idleLimit = 60_000;
const pingLimit = 2_000;
const oldestVersion = 15;

/**
 * Settings of every connection, against those of the server, the database or the role. The driver adapter takes every
 * time for UTC without looking at its offset, and reads dates and bytes in these formats alone. Conditional writes rely
 * on seeing what others committed while they waited.
 */
const sessionSettings = [
  '-c TimeZone=UTC',
  '-c DateStyle=ISO,YMD',
  '-c bytea_output=hex',
  '-c default_transaction_isolation=read\\ committed',
];

/** What plans go by, against the server's defaults; `options` in DATABASE_URL come after them. */
const plannerSettings = [
  // What lists read lies in memory or on an SSD: with the server's default a page of entries by an index costs as much as
  // it would on a turning disk, and large channels are read from end to end instead (docs/queries.md).
  '-c random_page_cost=1.1',
  // What an index finds of a large channel is kept row by row: with the server's default it is kept by pages, and each row
  // of these is looked at again.
  '-c work_mem=32MB',
  // Lists and totals end after so many matches. A merge join reads both sides in the order of their ids until then.
  '-c enable_mergejoin=off',
  // Statements take milliseconds; to compile one that is estimated to cost much takes tens of them.
  '-c jit=off',
];

/** In the pool nobody waits long for a row, so that one that is held for long does not take every connection. */
const lockTimeout = '-c lock_timeout=2000';

/** The server cannot be used. The message says why, in one line, without the password. */
export class DatabaseUnusableError extends Error {
  constructor(databaseUrl: string, reason: string, options?: ErrorOptions) {
    const { host, pathname } = new URL(databaseUrl);
    super(`The database at ${host}${pathname} cannot be used: ${reason}`, options);
    this.name = 'DatabaseUnusableError';
  }
}

/**
 * Opens the database of a server.
 * @param databasePool connections in the pool; feeds and sessions come on top
 * @param statementTimeout milliseconds that a statement in the pool may take; absent: what the server sets
 * @throws {DatabaseUnusableError} where the server does not answer, is too old, or is not UTF-8
 */
export async function openPostgresql({
  databaseUrl,
  databasePool,
  statementTimeout,
}: {
  databaseUrl: string;
  databasePool: number;
  statementTimeout?: number;
}): Promise<PlainDatabase> {
  const connection = connectionTo(databaseUrl, sessionSettings);
  const timeouts = [
    lockTimeout,
    ...(statementTimeout === undefined ? [] : [`-c statement_timeout=${statementTimeout}`]),
  ];
  const pool = new pg.Pool({
    ...connectionTo(databaseUrl, [...sessionSettings, ...timeouts]),
    max: databasePool,
    idleTimeoutMillis: idleLimit,
  });
  // An idle connection was lost (the server restarted, say), and the pool has dropped it: the next query gets a new one
  // or fails by itself. Without a listener this would end the process.
  pool.on('error', () => undefined);
  try {
    await checkServer(pool);
  } catch (error) {
    await pool.end();
    throw new DatabaseUnusableError(databaseUrl, describe(error), { cause: error });
  }
  return new PostgresqlDatabase(connection, pool);
}

function connectionTo(databaseUrl: string, settings: readonly string[]): pg.ClientConfig {
  const url = new URL(databaseUrl);
  // The last ones hold. They have to be in the URL, whose parameters override other configuration.
  const options = [...plannerSettings, url.searchParams.get('options'), ...settings]
    .filter((part) => part !== null)
    .join(' ');
  url.searchParams.set('options', options);
  return {
    connectionString: url.href,
    fallback_application_name: 'entryway',
    connectionTimeoutMillis: connectLimit,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

async function checkServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS "version", current_setting('server_encoding') AS "encoding"`,
  );
  const server = rows[0];
  if (server === undefined || server.version < oldestVersion) {
    throw new Error(`it is PostgreSQL ${server?.version}, and ${oldestVersion} or later is needed`);
  }
  if (server.encoding !== 'UTF8') throw new Error(`its encoding is ${server.encoding}, and UTF8 is needed`);
}

/** A refused connection to a name with several addresses comes as an error without a message of its own. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ');
  return error instanceof Error ? error.message : String(error);
}

class PostgresqlDatabase implements PlainDatabase {
  readonly kind = 'postgresql';
  readonly prisma: PrismaClient;
  /** A server can always come back. */
  readonly failed = new Promise<never>(() => undefined);
  readonly #connection: pg.ClientConfig;
  readonly #pool: pg.Pool;
  readonly #feeds = new Set<ChangeFeed>();

  constructor(connection: pg.ClientConfig, pool: pg.Pool) {
    this.#connection = connection;
    this.#pool = pool;
    this.prisma = new PrismaClient({
      adapter: new PrismaPg(pool),
      // Prisma's 2 seconds for a connection would refuse transactions before the pool itself gives up.
      transactionOptions: { maxWait: connectLimit, timeout: 30_000 },
    });
  }

  async session<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    const client = new pg.Client(this.#connection);
    // A lost connection fails the query under way, or the next one: that is where it is told.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work({
        exec: async (sql) => {
          await client.query(sql);
        },
        query: async <Row>(sql: string, parameters: unknown[] = []) =>
          (await client.query(sql, parameters)).rows as Row[],
      });
    } finally {
      await client.end();
    }
  }

  async watch(onChange: ChangeListener, onLost: LossListener): Promise<ChangeFeed> {
    const feed = await PostgresqlFeed.open(this.#connection, this.#pool, onChange, onLost);
    this.#feeds.add(feed);
    return feed;
  }

  async ping(): Promise<void> {
    await within(pingLimit, this.#pool.query('SELECT 1'), 'the database did not answer within 2 seconds');
  }

  async close(): Promise<void> {
    if (this.#pool.ending) return;
    await Promise.all([...this.#feeds].map((feed) => feed.close()));
    await this.prisma.$disconnect();
    await this.#pool.end();
  }
}
