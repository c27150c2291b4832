// A PostgreSQL server as the database: a pool for Prisma, and a separate connection for each session and each change feed.
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import type { PoolState } from '../telemetry/gauges.ts';
import type { ChangeFeed, ChangeListener, LossListener } from './changeFeed.ts';
import type { PlainDatabase, SqlSession } from './database.ts';
import { describeHosts, parseHosts } from '../databaseUrl.ts';
import { clientClass, type ClientClass } from './hosts.ts';
import { checkSession, findSchema } from './postgresqlChecks.ts';
import { PooledStatements, StatementNames } from './preparedStatements.ts';
import { PostgresqlFeed } from './postgresqlFeed.ts';
import { pingTimeoutMilliseconds, withTimeout } from './timeout.ts';
import { traceAdapter } from './tracedAdapter.ts';

const connectTimeoutMilliseconds = 5_000;
const idleTimeoutMilliseconds = 60_000;

/**
 * Settings of every connection, which override those of the server, the database and the role. The driver adapter
 * ignores the offset of times and takes them for UTC, and it reads dates and bytes only in these formats. Conditional
 * writes depend on the isolation level: after they have waited for a row lock, they must see what the other transaction
 * committed.
 */
const sessionSettings = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  bytea_output: 'hex',
  default_transaction_isolation: 'read committed',
};

/** Planner settings that override the server's; `options` in DATABASE_URL override them in turn. */
const plannerSettings = {
  // Data is in memory or on an SSD. The server's default assumes a hard disk, so that the planner would rather scan a large
  // channel than read a page of entries by an index (docs/queries.md).
  random_page_cost: '1.1',
  // A bitmap scan of a large channel can remember single rows. With the server's default it remembers only pages, and has to
  // recheck each row of them.
  work_mem: '32MB',
  // Lists and counts stop after a number of matches. A merge join reads both sides in the order of their ids until that many
  // match, which can be most of a large channel.
  enable_mergejoin: 'off',
  // Statements take a few milliseconds; JIT compilation of a statement with a high estimated cost takes tens of milliseconds.
  jit: 'off',
};

/** In milliseconds, for connections of the pool: a row that stays locked must not block all of them. */
const lockTimeout = '2000';

/** The server cannot be used. The message gives the reason, in one line and without the password. */
export class DatabaseUnusableError extends Error {
  constructor(databaseUrl: string, reason: string, options?: ErrorOptions) {
    super(`The database at ${describeHosts(databaseUrl)} cannot be used: ${reason}`, options);
    this.name = 'DatabaseUnusableError';
  }
}

/**
 * Opens the database of a server.
 * @param databasePool the size of the pool; feeds and sessions use further connections
 * @param statementTimeout in milliseconds, for statements in the pool; absent: the server's setting
 * @throws {DatabaseUnusableError} if the server does not answer, is too old, does not use UTF-8, or gives no schema
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
  const hosts = parseHosts(databaseUrl) ?? { urls: [databaseUrl], writable: false };
  const Client = clientClass(hosts, connectionOptions);
  const unusable = (error: unknown): never => {
    throw new DatabaseUnusableError(databaseUrl, describeError(error), { cause: error });
  };
  const schema = await findSchema(Client, hosts.urls.length).catch(unusable);
  const settings = { ...sessionSettings, search_path: pg.escapeIdentifier(schema) };
  const poolSettings = {
    ...settings,
    lock_timeout: lockTimeout,
    ...(statementTimeout !== undefined && { statement_timeout: String(statementTimeout) }),
  };
  const options: pg.PoolConfig & { verify: VerifyConnection } = {
    Client,
    connectionTimeoutMillis: connectTimeoutMilliseconds,
    max: databasePool,
    idleTimeoutMillis: idleTimeoutMilliseconds,
    verify: (client, done) => {
      applySettings(client, poolSettings).then(() => done(), done);
    },
  };
  const pool = new pg.Pool(options);
  // When an idle connection is lost, the pool drops it, and the next query opens a new one. Without a listener, the
  // event would end the process.
  pool.on('error', () => undefined);
  // When one is lost while a statement runs, the statement fails. The event itself would end the process, too.
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await checkSession(pool, Client);
  } catch (error) {
    await pool.end();
    unusable(error);
  }
  return new PostgresqlDatabase(Client, pool, schema, settings);
}

const connectionOptions: pg.ClientConfig = {
  fallback_application_name: 'entryway',
  connectionTimeoutMillis: connectTimeoutMilliseconds,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** What the pool calls with a new connection before anybody gets it. An error closes the connection. */
type VerifyConnection = (client: pg.PoolClient, done: (error?: Error) => void) => void;

/**
 * Applies settings to a new connection. They are not sent with its start, because a pooler such as pgbouncer refuses those
 * parameters, or drops them: times would then be read in the server's time zone.
 */
async function applySettings(client: pg.ClientBase, settings: Readonly<Record<string, string>>): Promise<void> {
  const all = { ...plannerSettings, ...settings };
  await client.query(
    `SELECT set_config(p.name, s.value, FALSE) FROM unnest($1::text[], $2::text[], $3::boolean[]) AS s(name, value, yields)
      JOIN pg_catalog.pg_settings p ON lower(p.name) = lower(s.name) WHERE NOT (s.yields AND p.source = 'client')`,
    [Object.keys(all), Object.values(all), Object.keys(all).map((name) => name in plannerSettings)],
  );
}

/** The message of an error. If a host has several addresses, a refused connection is an AggregateError without a message. */
function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}

class PostgresqlDatabase implements PlainDatabase {
  readonly kind = 'postgresql';
  readonly prisma: PrismaClient;
  readonly statements: PooledStatements;
  /** Never settles, because a server may always become available again. */
  readonly failed = new Promise<never>(() => undefined);
  readonly #Client: ClientClass;
  readonly #pool: pg.Pool;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #feeds = new Set<ChangeFeed>();

  /** @param settings those of a session's connection */
  constructor(Client: ClientClass, pool: pg.Pool, schema: string, settings: Readonly<Record<string, string>>) {
    this.#Client = Client;
    this.#pool = pool;
    this.#settings = settings;
    const names = new StatementNames();
    this.statements = new PooledStatements(pool, names);
    this.prisma = new PrismaClient({
      adapter: traceAdapter(
        new PrismaPg(pool, { schema, statementNameGenerator: ({ sql }) => names.nameOf(sql) ?? '' }),
      ),
      // Prisma's 2 seconds for a connection would refuse transactions before the pool itself gives up.
      transactionOptions: { maxWait: connectTimeoutMilliseconds, timeout: 30_000 },
    });
  }

  async session<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    const client = new this.#Client();
    // A lost connection makes the current or the next query fail, which reports it. The event itself needs no handling.
    client.on('error', () => undefined);
    await client.connect();
    try {
      await applySettings(client, this.#settings);
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
    const feed = await PostgresqlFeed.open(this.#Client, this.#pool, onChange, onLost);
    this.#feeds.add(feed);
    return feed;
  }

  readPool(): PoolState {
    const { totalCount: open, idleCount: idle, waitingCount: waiting, options } = this.#pool;
    return { max: options.max, open, idle, waiting };
  }

  async ping(): Promise<void> {
    await withTimeout(
      pingTimeoutMilliseconds,
      this.#pool.query('SELECT 1'),
      () => new Error('the database did not answer within 2 seconds'),
    );
  }

  copy(): Promise<never> {
    return Promise.reject(new Error('the files of a PostgreSQL server are not copied from here'));
  }

  async close(): Promise<void> {
    if (this.#pool.ending) return;
    await Promise.all([...this.#feeds].map((feed) => feed.close()));
    await this.prisma.$disconnect();
    await this.#pool.end();
  }
}
