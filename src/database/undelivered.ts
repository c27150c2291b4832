// Counts changes that are not delivered yet, of all sites (docs/contract.md §13.3): records of the feed without a
// position, and queued events of webhooks. Both are counted up to a limit, by the leader alone, in the background, and
// only while metrics are read.
import { Prisma } from '../generated/prisma/client.ts';
import type { UndeliveredState } from '../telemetry/gauges.ts';
import type { DatabaseClient } from './client.ts';

/** Counting stops at this number, since an alert needs no more. */
const maxUndelivered = 10_000;
/** Minimum interval between two counts, in milliseconds. */
const recountMilliseconds = 2_000;

/** Records without positions have numbers from this one on, 2^62. */
export const firstUnassigned = '4611686018427387904';

/**
 * Whether a record of `changes c` has no position. `firstUnassigned` is part of the text, because the partial index of
 * such records (`changes_unplaced_idx`) serves no parameter.
 */
export const isUnassigned = Prisma.sql`c.position >= 4611686018427387904`;

export class Undelivered {
  readonly #prisma: Pick<DatabaseClient, '$queryRaw'>;
  readonly #isLeader: () => boolean;
  #counts: UndeliveredState | null = null;
  #underway: Promise<void> | null = null;
  #countedAt = -Infinity;

  /** @param isLeader whether this process is the one that counts */
  constructor(prisma: Pick<DatabaseClient, '$queryRaw'>, isLeader: () => boolean) {
    this.#prisma = prisma;
    this.#isLeader = isLeader;
  }

  /**
   * Returns the last counts; null if counting failed, is not done yet, or is another process's task. Starts another
   * count.
   */
  read(): UndeliveredState | null {
    if (!this.#isLeader()) return (this.#counts = null);
    if (this.#underway === null && performance.now() - this.#countedAt >= recountMilliseconds) {
      this.#underway = this.#count().then((state) => {
        this.#counts = state;
        this.#countedAt = performance.now();
        this.#underway = null;
      });
    }
    return this.#counts;
  }

  /** Resolves when no count is under way. */
  async close(): Promise<void> {
    this.#countedAt = Infinity;
    await this.#underway;
  }

  /** @returns null if the database does not answer, which other metrics report */
  async #count(): Promise<UndeliveredState | null> {
    try {
      const [row] = await this.#prisma.$queryRaw<UndeliveredState[]>(countSql);
      return row ?? null;
    } catch {
      return null;
    }
  }
}

const countSql = Prisma.sql`SELECT (SELECT count(*)::int FROM (SELECT 1 FROM changes c WHERE ${isUnassigned} LIMIT ${maxUndelivered}) AS u) AS unplaced,
    (SELECT count(*)::int FROM (SELECT 1 FROM webhook_events e LIMIT ${maxUndelivered}) AS q) AS queued`;
