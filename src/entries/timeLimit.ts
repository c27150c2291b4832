// Ends a statement that looks into entries for too long, on a database that cannot be told to: PGlite works on one statement until it is
// done, while all others wait for the database, and heeds no statement_timeout.
import { fail } from '../base/errors.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { isOutOfTime, isStatementTimeout } from '../database/databaseErrors.ts';
import type { EntryMatch, ListScope } from './sql/expressions.ts';

/**
 * A condition on `entries e` that holds, and ends the statement where it has taken too long. The planner takes it for one that costs
 * nothing, and so asks it before the others of its AND.
 * @returns no condition where the database itself ends such a statement
 */
export function timeLimit({ maxMilliseconds }: Pick<ListScope, 'maxMilliseconds'>): Prisma.Sql[] {
  if (maxMilliseconds === null) return [];
  // IS NOT UNKNOWN tells the planner that nearly every row passes; of a bare function it takes a third.
  return [Prisma.sql`entryway_in_time(e.id, ${`${maxMilliseconds} milliseconds`}::interval) IS NOT UNKNOWN`];
}

/**
 * Runs a statement of a list, with `timeLimit`.
 * @throws unavailable where that has ended it: its cost was allowed (src/resolvers/entries/scan.ts), and the same statement may be done
 *   in time where less else is done; too_complex where the database has ended one whose cost is over the limit without an index
 */
export async function withinTime<Result>(
  { maxMilliseconds, isCostly }: Pick<EntryMatch, 'maxMilliseconds' | 'isCostly'>,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (isCostly === true && isStatementTimeout(error)) {
      fail(
        'too_complex',
        'The filter and the order compare too many values with the entries that the indexes find, and the database ended the list. ' +
          'Use fewer comparisons and values.',
      );
    }
    if (maxMilliseconds === null || !isOutOfTime(error)) throw error;
    return fail(
      'unavailable',
      `The list has looked into entries for ${maxMilliseconds} milliseconds and was not done. Try again; with fewer comparisons or ` +
        'words, a comparison that an index serves, or an order that one does (`sort`) it takes less.',
    );
  }
}
