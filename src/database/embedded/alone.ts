// Mutual exclusion of background work among the processes on a database.
import type { Database } from '../database.ts';

/**
 * Runs work unless another process is running it. On PostgreSQL it takes an advisory lock on a connection of its own,
 * which a process releases even if it crashes; the embedded database has one process.
 * @param lock the number of the work
 * @returns whether the work was run here
 * @throws as the work
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
