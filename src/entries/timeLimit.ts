// Enforces a time limit on statements that read entries on PGlite, which ignores statement_timeout and runs one
// statement at a time while all others wait.
import { fail } from '../base/errors.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { isOutOfTime, isStatementTimeout } from '../database/databaseErrors.ts';
import type { EntryMatch, ListScope } from './sql/expressions.ts';

/**
 * A condition on `entries e` that is true, and fails the statement once it has taken too long. The planner expects it
 * to cost nothing, and so evaluates it before the others of its AND.
 * @returns no condition if the database itself enforces a limit
 */
export function timeLimit({ maxMilliseconds }: Pick<ListScope, 'maxMilliseconds'>): Prisma.Sql[] {
  if (maxMilliseconds === null) return [];
  // IS NOT UNKNOWN makes the planner expect that nearly every row passes; for a bare function it expects a third.
  return [Prisma.sql`entryway_in_time(e.id, ${`${maxMilliseconds} milliseconds`}::interval) IS NOT UNKNOWN`];
}

/**
 * Awaits a statement of a list, with `timeLimit`.
 * @throws unavailable if the limit ended it: its cost was allowed (src/resolvers/entries/scan.ts), and it may succeed
 * under less load; too_complex if the database ended a statement whose cost exceeds the limit without an index
 */
export function withinTime<Result>(
  { maxMilliseconds, isCostly }: Pick<EntryMatch, 'maxMilliseconds' | 'isCostly'>,
  running: Promise<Result>,
): Promise<Result> {
  return running.catch((error: unknown) => {
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
  });
}
