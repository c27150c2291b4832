// Runs statements that read every entry of a channel, and may take longer than the statement timeout of requests.
import { Prisma } from '../generated/prisma/client.ts';
import type { DatabaseClient } from './client.ts';

/** The timeout of a transaction with such statements. */
export const maxLongTransactionMilliseconds = 15 * 60_000;

/** Disables the statement timeout for the rest of a transaction. */
export const disableStatementTimeout = Prisma.sql`SET LOCAL statement_timeout = 0`;

/** Runs a statement that returns a number as `count`, without the statement timeout. @returns the number */
export function countWithoutTimeout(db: Pick<DatabaseClient, '$transaction'>, statement: Prisma.Sql): Promise<number> {
  return db.$transaction(
    async (transaction) => {
      await transaction.$executeRaw(disableStatementTimeout);
      const [row] = await transaction.$queryRaw<{ count: number }[]>(statement);
      return row?.count ?? 0;
    },
    { timeout: maxLongTransactionMilliseconds },
  );
}
