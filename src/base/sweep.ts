// Deletes expired rows in the background: a site must not keep the rows of clients that are gone. The leader does it,
// and the other processes do it much more rarely, in case the leader is stuck.
import { Poller } from './poller.ts';

const intervalMilliseconds = 5 * 60_000;
/** The number of rows that one statement deletes, of one site or of several. */
const maxSweptAtOnce = 500;

/**
 * Deletes one batch of rows that are older than they are kept.
 * @param sites the sites of the rows; none if they belong to no site
 * @param now the time from which their age counts
 * @param limit the largest number to delete
 * @returns the number of deleted ones; if it is the limit, there may be more
 */
export type DeleteOld = (sites: readonly string[], now: Date, limit: number) => Promise<number>;

/** The sites of a sweep, and its conditions. */
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

  /** Deletes all rows that are too old. */
  async sweep(): Promise<void> {
    const now = new Date();
    for await (const sites of this.#parts.batches()) {
      for (let deleted = maxSweptAtOnce; deleted === maxSweptAtOnce && !this.#isClosed;) {
        deleted = await this.#deleteOld(sites, now, maxSweptAtOnce);
      }
    }
  }

  /** Stops. Resolves when the running statement is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#poller.close();
  }
}
