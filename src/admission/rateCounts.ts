// Shares the counts of rates between processes (docs/contract.md §13.1): one statement adds the counts of a process to
// the totals, and returns these. All processes are notified only when a total passes half of its limit, and when it
// passes the limit.
//
// Notifying all of each count would cost the square of the number of processes. The table is unlogged, because it holds
// only counts of the last minute.
import { changeChannel } from '../database/changeFeed.ts';
import type { Statements } from '../database/statements.ts';
import { withTimeout } from '../base/timeout.ts';

/** The first item of a total's message on the change feed; in the messages of changes it is the name of a table. */
export const rateLimitTopic = 'rate_limits';

/** The limits, by their names in the headers. */
export const rateLimitNames = ['token', 'address', 'public-token'] as const;
export type RateLimitName = (typeof rateLimitNames)[number];

/** The operations that a process has counted of a key and not shared yet. */
export interface UnsharedCount {
  readonly name: RateLimitName;
  readonly key: string;
  readonly operations: number;
  readonly limit: number;
}

/** The operations of a key, and the rest of its window. */
export type RateTotal = Omit<UnsharedCount, 'limit'> & { readonly milliseconds: number };

/**
 * Shares counts.
 * @returns the totals of their keys
 * @throws UnknownOutcome; after any other error the counts are sent again, and count twice if they had been stored: a
 *   limit is then reached too early, and not too late
 */
export type ShareCounts = (told: readonly UnsharedCount[]) => Promise<RateTotal[]>;

/**
 * Thrown if the counts may have been stored, or may still be. They are not sent again, because they would count twice.
 */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
}

/** The longest time to share counts, in milliseconds. */
const maxSharing = 5_000;

/** Waits for totals, for `maxSharing` at most. @throws UnknownOutcome */
export function awaitTotals<Totals>(totals: Promise<Totals>): Promise<Totals> {
  return withTimeout(
    maxSharing,
    totals,
    () => new UnknownOutcome(`rates were not told within ${maxSharing} milliseconds`),
  );
}

/**
 * Adds counts to the totals of all processes. A key's window begins when the first process shares it, and lasts a whole
 * minute: if it ended with that process's own window, each process could use up half of the limit unseen before its own
 * window ends.
 * A window that ends later than a new one would was begun before the database's clock stepped back, and counts as
 * ended. The bound has 5 seconds to spare, because now() is the statement's beginning: a later statement may have begun
 * the window while this one waited.
 */
export function addRateCounts(db: Statements, told: readonly UnsharedCount[]): Promise<RateTotal[]> {
  return db.$queryRaw<RateTotal[]>`
    WITH told AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(told)}::jsonb)
        AS t(name TEXT, key TEXT, operations FLOAT8, "limit" FLOAT8)
    ), added AS (
      INSERT INTO rate_counts AS r (name, key, operations, ends_at)
      SELECT t.name, t.key, t.operations, now() + interval '60 seconds' FROM told t ORDER BY t.name, t.key
      ON CONFLICT (name, key) DO UPDATE SET
        operations = excluded.operations
          + CASE WHEN r.ends_at > now() AND r.ends_at <= now() + interval '65 seconds' THEN r.operations ELSE 0 END,
        ends_at = CASE WHEN r.ends_at > now() AND r.ends_at <= now() + interval '65 seconds' THEN r.ends_at ELSE excluded.ends_at END
      RETURNING r.name, r.key, r.operations, extract(epoch FROM r.ends_at - now())::float8 * 1000 AS milliseconds
    ), passed AS (
      SELECT pg_notify(${changeChannel}, jsonb_build_array(${rateLimitTopic}::text, a.name, a.key, a.operations::text,
        a.milliseconds::text)::text)
      FROM added a JOIN told t ON t.name = a.name AND t.key = a.key
      WHERE a.operations - t.operations < t."limit" / 2 AND a.operations >= t."limit" / 2
        OR a.operations - t.operations <= t."limit" AND a.operations > t."limit"
    )
    SELECT a.name, a.key, a.operations, a.milliseconds FROM added a
    WHERE (SELECT count(*) FROM passed) >= 0`;
}

/**
 * Deletes windows that have ended, or that began before the database's clock stepped back. @returns the number of
 * deleted ones
 */
export function deleteEndedRates(db: Statements, limit: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM rate_counts r USING (
      SELECT o.name, o.key FROM rate_counts o WHERE o.ends_at < now() OR o.ends_at > now() + interval '2 minutes'
      LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS ended
    WHERE r.name = ended.name AND r.key = ended.key`;
}
