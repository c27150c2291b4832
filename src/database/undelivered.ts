// How many changes are not delivered yet, of all sites (docs/contract.md §13.3): records of the feed without a place, and what
// waits for webhooks. Both are counted up to a limit, in the background, and only while somebody reads the metrics.
import { Prisma } from '../generated/prisma/client.ts';
import type { UndeliveredState } from '../telemetry/gauges.ts';
import type { DatabaseClient } from './client.ts';
import { siteBatches } from './siteBatches.ts';

/** Counting stops here: that there are more is all that matters. */
const maxUndelivered = 10_000;
/** How soon it is counted again at most, in milliseconds. */
const recountMilliseconds = 2_000;

/** Records without places have numbers from this one on, 2^62. */
export const firstUnplaced = '4611686018427387904';

export class Undelivered {
  readonly #prisma: DatabaseClient;
  #known: UndeliveredState | null = null;
  #underway: Promise<void> | null = null;
  #lookedAt = -Infinity;

  constructor(prisma: DatabaseClient) {
    this.#prisma = prisma;
  }

  /** What was counted last, at once; null where that failed, or is not done yet. Begins to count again. */
  read(): UndeliveredState | null {
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
      let state = { unplaced: 0, queued: 0 };
      for await (const sites of siteBatches(this.#prisma)) {
        const [row] = await this.#prisma.$queryRaw<UndeliveredState[]>(countSql(sites));
        if (row) state = { unplaced: state.unplaced + row.unplaced, queued: state.queued + row.queued };
      }
      return { unplaced: Math.min(state.unplaced, maxUndelivered), queued: Math.min(state.queued, maxUndelivered) };
    } catch {
      return null;
    }
  }
}

function countSql(sites: readonly string[]): Prisma.Sql {
  const inSites = Prisma.join([...sites]);
  return Prisma.sql`SELECT
    (SELECT count(*)::int FROM (SELECT 1 FROM changes c
      WHERE c.site_id IN (${inSites}) AND c.position >= ${firstUnplaced}::bigint LIMIT ${maxUndelivered}) AS u) AS unplaced,
    (SELECT count(*)::int FROM (SELECT 1 FROM webhook_events e WHERE e.site_id IN (${inSites}) LIMIT ${maxUndelivered}) AS q)
      AS queued`;
}
