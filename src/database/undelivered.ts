// How many changes are not delivered yet, of all sites (docs/contract.md §13.3): records of the feed without a place, and what
// waits for webhooks. Both are counted up to a limit, by the leader alone, in the background, and only while somebody reads its metrics.
import { Prisma } from '../generated/prisma/client.ts';
import type { UndeliveredState } from '../telemetry/gauges.ts';
import type { DatabaseClient } from './client.ts';

/** Counting stops here: that there are more is all that matters. */
const maxUndelivered = 10_000;
/** How soon it is counted again at most, in milliseconds. */
const recountMilliseconds = 2_000;

/** Records without places have numbers from this one on, 2^62. */
export const firstUnplaced = '4611686018427387904';

/**
 * Whether a record of `changes c` has no place. `firstUnplaced` stands in the text, because the partial index of such records
 * (`changes_unplaced_idx`) serves no parameter.
 */
export const isUnplaced = Prisma.sql`c.position >= 4611686018427387904`;

export class Undelivered {
  readonly #prisma: Pick<DatabaseClient, '$queryRaw'>;
  readonly #isLeader: () => boolean;
  #known: UndeliveredState | null = null;
  #underway: Promise<void> | null = null;
  #lookedAt = -Infinity;

  /** @param isLeader whether this process is the one that counts for all */
  constructor(prisma: Pick<DatabaseClient, '$queryRaw'>, isLeader: () => boolean) {
    this.#prisma = prisma;
    this.#isLeader = isLeader;
  }

  /** What was counted last, at once; null where that failed, or is not done yet, or is another process's to do. Begins to count again. */
  read(): UndeliveredState | null {
    if (!this.#isLeader()) return (this.#known = null);
    if (this.#underway === null && performance.now() - this.#lookedAt >= recountMilliseconds) {
      this.#underway = this.#count().then((state) => {
        this.#known = state;
        this.#lookedAt = performance.now();
        this.#underway = null;
      });
    }
    return this.#known;
  }

  /** Resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#lookedAt = Infinity;
    await this.#underway;
  }

  /** @returns null where the database does not answer: other metrics tell that */
  async #count(): Promise<UndeliveredState | null> {
    try {
      const [row] = await this.#prisma.$queryRaw<UndeliveredState[]>(countSql);
      return row ?? null;
    } catch {
      return null;
    }
  }
}

const countSql = Prisma.sql`SELECT (SELECT count(*)::int FROM (SELECT 1 FROM changes c WHERE ${isUnplaced} LIMIT ${maxUndelivered}) AS u) AS unplaced,
    (SELECT count(*)::int FROM (SELECT 1 FROM webhook_events e LIMIT ${maxUndelivered}) AS q) AS queued`;
