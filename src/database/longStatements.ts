// Statements that look at all entries of a channel, for which the limit of those of requests is too short.
import { Prisma } from '../generated/prisma/client.ts';
import type { DatabaseClient } from './database.ts';

/** How long a transaction with such statements may take, in milliseconds. */
export const longestChange = 15 * 60_000;

/** Lifts the limit for the rest of a transaction: its first statement. */
export const withoutLimit = Prisma.sql`SET LOCAL statement_timeout = 0`;

/** Counts rows by a statement that gives their number as `count`. */
export async function countWithoutLimit(db: DatabaseClient, statement: Prisma.Sql): Promise<number> {
  const query = db.$queryRaw<{ count: number }[]>(statement);
  const [, rows] = await db.$transaction([db.$executeRaw(withoutLimit), query], { timeout: longestChange });
  return rows[0]?.count ?? 0;
}
