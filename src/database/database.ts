// The database as the rest of the service sees it: one interface over a PostgreSQL server and the embedded database.
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { ChangeFeed, ChangeListener, LossListener } from './changeFeed.ts';

export type { ChangeFeed } from './changeFeed.ts';

/** One connection, used by one piece of work alone. */
export interface SqlSession {
  /** Runs a script of any number of statements. */
  readonly exec: (sql: string) => Promise<void>;
  /** Runs one statement, with values for $1, $2, …; gives its rows. */
  readonly query: <Row>(sql: string, parameters?: unknown[]) => Promise<Row[]>;
}

/**
 * Prisma's client without its plain methods for entries: these know no rule of access. src/entries/model.ts puts methods that do
 * in their place.
 */
export type DatabaseClient = Omit<PrismaClient, 'entry'>;

export interface Database {
  readonly kind: 'embedded' | 'postgresql';
  readonly prisma: DatabaseClient;

  /** Rejects, with the reason, when this process can't use the database any more; what may come back doesn't count. */
  readonly failed: Promise<never>;

  /**
   * Runs `work` on a connection of its own (PostgreSQL), or with the only connection to itself (embedded): then
   * nothing else gets through until it is done, so it must not wait for `prisma`. For migrations.
   */
  session<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;

  /**
   * Follows the changes that the triggers of the schema tell of.
   * @param onChange takes each change: the table's name, then the key values that its trigger names
   * @param onLost is called, with the reason, when changes may have been missed: forget everything that was cached
   * @throws Error where changes cannot be followed on this connection
   */
  watch(onChange: ChangeListener, onLost: LossListener): Promise<ChangeFeed>;

  /**
   * Asks the database for an answer.
   * @throws Error when none comes within 2 seconds
   */
  ping(): Promise<void>;

  /** Ends feeds and connections. An open embedded database keeps the process alive until then. */
  close(): Promise<void>;
}

/** A database whose client has its plain methods for entries: for tests, which prepare and inspect rows with them. */
export interface PlainDatabase extends Database {
  readonly prisma: PrismaClient;
}
