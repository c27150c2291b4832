// What one process does at a time, of all that share the database.
import type { Database } from '../database.ts';

/**
 * Runs some work unless another process does the same now. On PostgreSQL it takes an advisory lock on a connection of its own, and
 * a process that ends gives it back; the embedded database has one process.
 * @param lock the number of the work
 * @returns whether the work was done here
 * @throws what the work throws
 */
export async function runAlone(
  database: Pick<Database, 'kind' | 'session'>,
  lock: number,
  work: () => Promise<void>,
): Promise<boolean> {
  if (database.kind === 'embedded') {
    await work();
    return true;
  }
  return database.session(async ({ query }) => {
    const [row] = await query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS "taken"', [lock]);
    if (row?.taken !== true) return false;
    await work();
    return true;
  });
}
