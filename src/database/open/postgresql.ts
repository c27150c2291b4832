// A PostgreSQL server as the database: a pool for Prisma, and a separate connection for each session and each change feed.
import pg from 'pg';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { PoolState } from '../../telemetry/gauges.ts';
import type { ChangeFeed, ChangeListener, LossListener } from '../changeFeed.ts';
import type { CitusNodes } from '../citus/nodes.ts';
import { coordinatorSettings, findServer, openNodes } from '../citus/open.ts';
import { isDistributed } from '../citus/topology.ts';
import type { PlainDatabase, SqlSession } from '../database.ts';
import { describeHosts } from '../../config/databaseUrl.ts';
import { connectTimeoutMilliseconds, openClient } from '../postgresql/hosts.ts';
import { applySettings, createPool, poolSettings, sessionSettings, type Settings } from '../postgresql/pool.ts';
import { checkSameDatabase, keepsStatements, verifySettings } from '../postgresql/poolerChecks.ts';
import { checkSession } from '../postgresql/checks.ts';
import type { PooledStatements } from '../postgresql/preparedStatements.ts';
import { PostgresqlFeed } from '../postgresql/feed.ts';
import { Replica } from '../replicas/replica.ts';
import { Replicas } from '../replicas/replicas.ts';
import { closeConnections, useConnections, type ServerConnections } from '../postgresql/serverConnections.ts';
import { pingTimeoutMilliseconds, withTimeout } from '../../base/timeout.ts';

/** Maximum wait for a connection to a standby: the primary answers the read after it. */
const replicaTimeoutMilliseconds = 2_000;

/** The server cannot be used. The message gives the reason, in one line and without the password. */
export class DatabaseUnusableError extends Error {
  constructor(databaseUrl: string, reason: string, options?: ErrorOptions) {
    super(`The database at ${describeHosts(databaseUrl)} cannot be used: ${reason}`, options);
    this.name = 'DatabaseUnusableError';
  }
}

/** The use of a server. */
interface PostgresqlOptions {
  readonly databaseUrl: string;
  /**
   * The server for migrations and feeds if DATABASE_URL leads through a pooler in transaction mode; absent to use
   * DATABASE_URL for these, too.
   */
  readonly directUrl?: string | undefined;
  /** The size of the pool, and of that of each standby; feeds and sessions use further connections. */
  readonly databasePool: number;
  /** In milliseconds, for statements in the pool; absent for the server's setting. */
  readonly statementTimeout?: number | undefined;
  readonly replicas?: ReplicaOptions | null | undefined;
}

/** Standbys for reads. */
interface ReplicaOptions {
  /** One server each. */
  readonly urls: readonly string[];
  /** Maximum lag of a standby in use, in milliseconds. */
  readonly maxLag: number;
}

/**
 * Opens the database of a server; or of several servers, where its tables are distributed over the nodes of Citus.
 * @throws {DatabaseUnusableError} if the server does not answer, is too old, does not use UTF-8, or gives no schema; or if a pooler
 *   is in between that cannot be used
 */
export async function openPostgresql(options: PostgresqlOptions): Promise<PlainDatabase> {
  const { databaseUrl, directUrl, databasePool: max, statementTimeout } = options;
  const unusable =
    (url: string) =>
    (error: unknown): never => {
      throw new DatabaseUnusableError(url, describeError(error), { cause: error });
    };
  const server = await findServer(options).catch(unusable(directUrl ?? databaseUrl));
  const { Client, schema, topology } = server;
  const session = { ...sessionSettings, search_path: pg.escapeIdentifier(schema) };
  const settings = poolSettings(session, statementTimeout);
  const homeSettings = topology === null ? settings : { ...settings, ...coordinatorSettings };
  const apply = (client: pg.PoolClient): Promise<void> => applySettings(client, homeSettings);
  const verify = (client: pg.PoolClient): Promise<void> => verifySettings(client, { schema, settings });
  const { Client: PoolClient } = directUrl === undefined ? { Client } : openClient(databaseUrl);
  const pooled = { Client: PoolClient, max, connectTimeout: connectTimeoutMilliseconds };
  const pool = createPool({ ...pooled, prepare: directUrl === undefined ? apply : verify });
  let hasNames = true;
  try {
    if (directUrl === undefined) await checkSession(pool, Client);
    else {
      await checkSameDatabase(pool, Client);
      hasNames = await keepsStatements(PoolClient);
    }
  } catch (error) {
    await pool.end();
    unusable(databaseUrl)(error);
  }
  const replicas = options.replicas ? openReplicas(options.replicas, { pool, max, apply }) : null;
  const home = useConnections({ Client, pool, schema, hasNames, keepsPlans: topology === null });
  const nodes = topology && openNodes({ url: server.url, schema, topology, home, max, settings });
  return new PostgresqlDatabase({ home, settings: session, schema, replicas, nodes });
}

/** Prepares the standbys for reads. Connections to them are opened on demand. */
function openReplicas(
  { urls, maxLag }: ReplicaOptions,
  { pool, max, apply }: { pool: pg.Pool; max: number; apply: (client: pg.PoolClient) => Promise<void> },
): Replicas {
  const replicas = urls.map((url) => {
    const { Client } = openClient(url);
    return new Replica(pool, (prepare) => {
      const setUp = async (client: pg.PoolClient): Promise<void> => {
        await prepare(client);
        await apply(client);
      };
      return createPool({ Client, max, connectTimeout: replicaTimeoutMilliseconds, prepare: setUp });
    });
  });
  return new Replicas(replicas, maxLag);
}

/** The message of an error. If a host has several addresses, a refused connection is an AggregateError without a message. */
function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** The components of the database. */
interface OpenedServer {
  readonly home: ServerConnections;
  readonly schema: string;
  /** The settings of a session's connection. */
  readonly settings: Settings;
  readonly replicas: Replicas | null;
  /** Null for a single server. */
  readonly nodes: CitusNodes | null;
}

class PostgresqlDatabase implements PlainDatabase {
  readonly kind = 'postgresql';
  readonly prisma: PrismaClient;
  readonly statements: PooledStatements;
  /** Never settles, because a server may always become available again. */
  readonly failed = new Promise<never>(() => undefined);
  readonly replicas: Replicas | null;
  readonly nodes: CitusNodes | null;
  readonly #home: ServerConnections;
  readonly #schema: string;
  readonly #settings: Settings;
  readonly #feeds = new Set<ChangeFeed>();

  constructor({ home, schema, settings, replicas, nodes }: OpenedServer) {
    this.#home = home;
    this.#schema = schema;
    this.#settings = settings;
    this.nodes = nodes;
    this.replicas = replicas;
    this.prisma = home.prisma;
    this.statements = home.statements;
  }

  async session<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    const client = new this.#home.Client();
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
    const { Client, pool } = this.#home;
    const options = { Client, pool, onChange, onLost, check: () => this.#assertNotDistributed() };
    const feed = await (this.nodes?.watch(onChange, onLost) ?? PostgresqlFeed.open(options));
    this.#feeds.add(feed);
    return feed;
  }

  /** A process that takes the tables for those of one server would not be notified of changes on other nodes. */
  async #assertNotDistributed(): Promise<void> {
    if (await isDistributed(this.#home.pool, this.#schema)) {
      throw new Error('the tables were distributed since this process began: start it again');
    }
  }

  readPool(): PoolState {
    const pools = [this.#home.pool, ...(this.nodes?.listPools() ?? [])];
    const sum = (read: (pool: pg.Pool) => number): number => pools.reduce((total, pool) => total + read(pool), 0);
    return {
      max: sum(({ options }) => options.max),
      open: sum(({ totalCount }) => totalCount),
      idle: sum(({ idleCount }) => idleCount),
      waiting: sum(({ waitingCount }) => waitingCount),
    };
  }

  async ping(): Promise<void> {
    await withTimeout(
      pingTimeoutMilliseconds,
      this.#home.pool.query('SELECT 1'),
      () => new Error('the database did not answer within 2 seconds'),
    );
  }

  copy(): Promise<never> {
    return Promise.reject(new Error('the files of a PostgreSQL server are not copied from here'));
  }

  async close(): Promise<void> {
    if (this.#home.pool.ending) return;
    await Promise.all([...this.#feeds].map((feed) => feed.close()));
    await this.replicas?.close();
    await this.nodes?.close();
    await closeConnections(this.#home);
  }
}
