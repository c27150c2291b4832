// Runs statements on entries by the driver directly, which is faster than Prisma's client. Every value is a parameter
// of its statement, because a statement is a `Prisma.Sql`.
import type { Prisma } from '../generated/prisma/client.ts';

/** Runs statements on entries. */
export interface EntryStatements {
  /** Reads rows by a statement that PostgreSQL plans each time, for its values. */
  read<Row>(statement: Prisma.Sql): Promise<Row[]>;
  /**
   * Reads rows by a prepared statement, whose plan may be reused for other values: only for statements whose best plan
   * does not depend on their values.
   */
  readPrepared<Row>(statement: Prisma.Sql): Promise<Row[]>;
  /** Writes by a prepared statement. @returns the rows that it selects or returns */
  write<Row>(statement: Prisma.Sql): Promise<Row[]>;
}

/**
 * A mark behind the relations of a statement for a number of rows: once the statement is prepared, PostgreSQL is to keep its plan,
 * whatever it expects of others (postgresql/preparedStatements.ts). Elsewhere it is a comment.
 */
export const keptPlanMark = /\/\* kept plan of (\d+) rows \*\//;

/** Runs statements that are not on entries: Prisma's client, or a transaction. */
export interface Statements {
  $queryRaw<Rows = unknown>(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<Rows>;
  $executeRaw(query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<number>;
}

/** Makes a runner of reads and writes from one function. */
export function statementsBy(run: <Row>(statement: Prisma.Sql) => Promise<Row[]>): EntryStatements {
  return { read: run, readPrepared: run, write: run };
}

/** Runs statements on entries inside a transaction of Prisma. */
export function statementsWithin(transaction: Pick<Statements, '$queryRaw'>): EntryStatements {
  return statementsBy(<Row>(statement: Prisma.Sql) => transaction.$queryRaw<Row[]>(statement));
}
