// Deletes in the background what is kept for a time only: a site whose clients are gone must not keep what they left. Of all
// processes, the leader does it, and the others much more rarely, in case that the leader is stuck.
import { Poller } from './poller.ts';

const intervalMilliseconds = 5 * 60_000;
/** How many rows one statement deletes, of one site or of several. */
const maxSweptAtOnce = 500;

/**
 * Deletes one batch of rows that are older than they are kept.
 * @param sites whose rows; none where they belong to no site
 * @param now the time from which their age counts
 * @param limit how many are deleted at most
 * @returns how many were; as many as the limit: there may be more
 */
export type DeleteOld = (sites: readonly string[], now: Date, limit: number) => Promise<number>;

/** Where a sweep deletes, and when. */
export interface SweepParts {
  /** Gives the sites, some at a time. */
  readonly batches: () => AsyncIterable<readonly string[]> | Iterable<readonly string[]>;
  readonly isLeader: () => boolean;
  /** Receives each error; the next sweep tries again. */
  readonly onError: (error: unknown) => void;
}

export class Sweep {
  readonly #parts: SweepParts;
  readonly #deleteOld: DeleteOld;
  readonly #poller: Poller;
  #isClosed = false;

  /** Starts to sweep every five minutes. */
  constructor(parts: SweepParts, deleteOld: DeleteOld) {
    this.#parts = parts;
    this.#deleteOld = deleteOld;
    const { isLeader, onError } = parts;
    this.#poller = new Poller({ every: intervalMilliseconds, isLeader, poll: () => this.sweep(), onError });
  }

  /** Deletes all that is too old. */
  async sweep(): Promise<void> {
    const now = new Date();
    for await (const sites of this.#parts.batches()) {
      for (let deleted = maxSweptAtOnce; deleted === maxSweptAtOnce && !this.#isClosed;) {
        deleted = await this.#deleteOld(sites, now, maxSweptAtOnce);
      }
    }
  }

  /** Stops. Resolves when the statement under way is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#poller.close();
  }
}
