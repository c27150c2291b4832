// The pool of connections to a PostgreSQL server, and the settings of each of them.
import pg from 'pg';
import type { ClientClass } from './hosts.ts';

const idleTimeoutMilliseconds = 60_000;

/** Settings by their names. */
export type Settings = Readonly<Record<string, string>>;

/**
 * Settings of every connection, which override those of the server, the database and the role. The driver adapter
 * ignores the offset of times and takes them for UTC, and it reads dates and bytes only in these formats. Conditional
 * writes depend on the isolation level: after they have waited for a row lock, they must see the changes of the other
 * transaction.
 */
export const sessionSettings: Settings = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  bytea_output: 'hex',
  default_transaction_isolation: 'read committed',
};

/** Planner settings that override the server's; `options` in DATABASE_URL override them in turn. */
const plannerSettings: Settings = {
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

/** In milliseconds, for connections of a pool: a row that stays locked must not block all of them. */
const lockTimeout = '2000';

/**
 * The settings of a pool's connections, beside those of the planner.
 * @param session the settings of every connection
 * @param statementTimeout in milliseconds; absent for the server's setting
 */
export function poolSettings(session: Settings, statementTimeout: number | undefined): Settings {
  const statements = statementTimeout === undefined ? {} : { statement_timeout: String(statementTimeout) };
  return { ...session, lock_timeout: lockTimeout, ...statements };
}

/** The pool's hook for a new connection before its first use. An error closes the connection. */
type VerifyConnection = (client: pg.PoolClient, done: (error?: Error) => void) => void;

interface PoolOptions {
  readonly Client: ClientClass;
  /** Maximum number of connections. */
  readonly max: number;
  /** In milliseconds. */
  readonly connectTimeout: number;
  /** Prepares each new connection before its first use. If it rejects, the connection is closed. */
  readonly prepare: (client: pg.PoolClient) => Promise<void>;
}

/** Creates a pool, which opens connections on demand. */
export function createPool({ Client, max, connectTimeout, prepare }: PoolOptions): pg.Pool {
  const options: pg.PoolConfig & { verify: VerifyConnection } = {
    Client,
    connectionTimeoutMillis: connectTimeout,
    max,
    idleTimeoutMillis: idleTimeoutMilliseconds,
    verify: (client, done) => {
      prepare(client).then(() => done(), done);
    },
  };
  const pool = new pg.Pool(options);
  // When an idle connection is lost, the pool drops it, and the next query opens a new one. Without a listener, the
  // event would end the process.
  pool.on('error', () => undefined);
  // When a connection is lost during a statement, the statement fails. The event itself would end the process, too.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * Applies settings to a new connection. They are not sent with its start, because a pooler such as pgbouncer refuses those
 * parameters, or drops them: times would then be read in the server's time zone.
 */
export async function applySettings(client: pg.ClientBase, settings: Settings): Promise<void> {
  const all = { ...plannerSettings, ...settings };
  await client.query(
    `SELECT set_config(p.name, s.value, FALSE) FROM unnest($1::text[], $2::text[], $3::boolean[]) AS s(name, value, yields)
      JOIN pg_catalog.pg_settings p ON lower(p.name) = lower(s.name) WHERE NOT (s.yields AND p.source = 'client')`,
    [Object.keys(all), Object.values(all), Object.keys(all).map((name) => name in plannerSettings)],
  );
}
