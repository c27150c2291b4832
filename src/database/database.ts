// The database as the rest of the service sees it: one interface for a PostgreSQL server and the embedded database.
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { ChangeFeed, ChangeListener, LossListener } from './changeFeed.ts';
import type { DatabaseClient } from './client.ts';
import type { PoolState } from '../telemetry/gauges.ts';
import type { Replicas } from './replicas/replicas.ts';
import type { SiteServers } from './siteDatabase.ts';
import type { EntryStatements } from './statements.ts';

export type { ChangeFeed } from './changeFeed.ts';

/** A connection that one piece of work has to itself. */
export interface SqlSession {
  /** Runs a script of any number of statements. */
  readonly exec: (sql: string) => Promise<void>;
  /** Runs one statement with values for $1, $2, …; returns its rows. */
  readonly query: <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;
}

export interface Database {
  readonly kind: 'embedded' | 'postgresql';
  readonly prisma: DatabaseClient;
  /** For statements on entries alone (src/entries/model.ts). */
  readonly statements: EntryStatements;

  /** The servers that the sites are distributed over; null: there is one. */
  readonly nodes: SiteServers | null;

  /** Standbys that may answer reads of entries; null: there are none. Until they are started, none is used. */
  readonly replicas: Replicas | null;

  /**
   * Rejects, with the reason, once this process can never use the database again. A lost connection does not cause
   * that.
   */
  readonly failed: Promise<never>;

  /**
   * Runs `work` on a connection of its own (PostgreSQL), or alone on the only connection (embedded database), where every
   * other query waits until `work` is done: `work` must not use `prisma`, which would be a deadlock. For migrations.
   */
  session<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;

  /**
   * Follows the changes that the schema's triggers announce.
   * @param onLost called when changes may have been missed: the caller must clear its caches
   * @throws Error if changes cannot be followed on this connection
   */
  watch(onChange: ChangeListener, onLost: LossListener): Promise<ChangeFeed>;

  /** How the pool of connections is used; null: there is none. */
  readPool(): PoolState | null;

  /**
   * Checks that the database answers.
   * @throws Error if it does not within 2 seconds
   */
  ping(): Promise<void>;

  /**
   * Copies the files of the embedded database, as of one moment, to a directory of its own among the copies (copies.ts). All
   * queries wait meanwhile.
   * @param name the directory, which is there and empty
   * @throws Error for a PostgreSQL server and for a database in memory, which have no files here
   */
  copy(name: string): Promise<void>;

  /** Closes feeds and connections. An open embedded database keeps the process alive until then. */
  close(): Promise<void>;
}

/** A database whose client has Prisma's own methods for entries, too: tests prepare and inspect rows with them. */
export interface PlainDatabase extends Database {
  readonly prisma: PrismaClient;
}
