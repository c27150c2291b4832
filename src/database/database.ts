// The interface of the database, for a PostgreSQL server and for the embedded database.
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { ChangeFeed, ChangeListener, LossListener } from './changeFeed.ts';
import type { DatabaseClient } from './client.ts';
import type { PoolState, ReplicasState } from '../telemetry/gauges.ts';
import type { SiteServers } from './siteDatabase.ts';
import type { EntryStatements } from './statements.ts';

export type { ChangeFeed } from './changeFeed.ts';

/** A connection that one caller uses exclusively. */
export interface SqlSession {
  /** Runs a script of any number of statements. */
  readonly exec: (sql: string) => Promise<void>;
  /** Runs one statement with values for $1, $2, … @returns its rows */
  readonly query: <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;
}

/** A standby that answers reads of entries (docs/contract.md §13.7). */
export interface Standby {
  /**
   * The time (of performance.now) up to which the standby is proven to have every commit; -Infinity without a proof.
   */
  readonly provenUntil: number;
  /** Runs a statement that reads. @throws any error of the standby; the primary may still succeed */
  read<Row>(run: (statements: EntryStatements) => Promise<Row[]>): Promise<Row[]>;
}

/** Called when a standby enters or leaves rotation. @param number from 1 @param error the reason; null if it lags */
export type StandbyListener = (number: number, isUsed: boolean, error: unknown) => void;

/** The standbys of a database. */
export interface Standbys {
  /** Begins to ask the standbys. Until one has answered, everything is read from the primary. */
  start(listener: StandbyListener): void;
  /** Chooses the standby whose turn it is. @returns null where none may be used */
  choose(site: string, seenAt: number): Standby | null;
  /**
   * Whether a standby has everything that a reader must see.
   * @param seenAt the time at which this process first saw the versions that decide the reader's access
   */
  mayUse(standby: Pick<Standby, 'provenUntil'>, site: string, seenAt: number): boolean;
  /** Notes that a write of this process to a site has ended, successfully or not. */
  wrote(site: string): void;
  /** The time at which this process first saw a version: now, if it did not before. */
  firstSeen(what: string): number;
  /** Counts a read that a standby might have answered, and the primary did. */
  countPrimaryRead(): void;
  readState(): ReplicasState;
}

export interface Database {
  readonly kind: 'embedded' | 'postgresql';
  readonly prisma: DatabaseClient;
  /** Runs statements on entries (src/entries/model.ts). */
  readonly statements: EntryStatements;

  /** The servers that the sites are distributed over; null for one server. */
  readonly nodes: SiteServers | null;

  /** Standbys for reads of entries; null without any. They are used once they are started. */
  readonly replicas: Standbys | null;

  /**
   * Rejects with the reason once this process can never use the database again. A lost connection does not reject it.
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

  /** The use of the pool of connections; null without a pool. */
  readPool(): PoolState | null;

  /**
   * Checks that the database answers.
   * @throws Error if it does not within 2 seconds
   */
  ping(): Promise<void>;

  /**
   * Copies the files of the embedded database, in one consistent state, to a directory of its own among the copies
   * (copies.ts). All queries wait meanwhile.
   * @param name the directory, which exists and is empty
   * @throws Error for a PostgreSQL server and for a database in memory, which have no files here
   */
  copy(name: string): Promise<void>;

  /** Closes feeds and connections. An open embedded database keeps the process alive until then. */
  close(): Promise<void>;
}

/** A database whose client also has Prisma's own methods for entries, with which tests prepare and inspect rows. */
export interface PlainDatabase extends Database {
  readonly prisma: PrismaClient;
}
