// Deletes in the background what is kept for a time only: a site whose clients are gone must not keep what they left.
import type { DatabaseClient } from './client.ts';
import { siteBatches } from './siteBatches.ts';

const intervalMilliseconds = 5 * 60_000;
/** How many rows one statement deletes, of one site or of several. */
const maxSweptAtOnce = 500;

/**
 * Deletes one batch of rows that are older than they are kept.
 * @param sites whose rows
 * @param now the time from which their age counts
 * @param limit how many are deleted at most
 * @returns how many were; as many as the limit: there may be more
 */
export type DeleteOld = (sites: readonly string[], now: Date, limit: number) => Promise<number>;

export class Sweep {
  readonly #prisma: DatabaseClient;
  readonly #deleteOld: DeleteOld;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #underway = Promise.resolve();
  #isClosed = false;

  /** Starts to sweep every five minutes. @param onError receives each error of a sweep; the next one tries again */
  constructor(prisma: DatabaseClient, deleteOld: DeleteOld, onError: (error: unknown) => void) {
    this.#prisma = prisma;
    this.#deleteOld = deleteOld;
    this.#onError = onError;
    this.#timer = setInterval(() => {
      this.#underway = this.#underway.then(() => this.sweep());
    }, intervalMilliseconds).unref();
  }

  /** Deletes all that is too old. Does not reject: errors go to `onError`. */
  async sweep(): Promise<void> {
    const now = new Date();
    try {
      for await (const sites of siteBatches(this.#prisma)) {
        for (let deleted = maxSweptAtOnce; deleted === maxSweptAtOnce && !this.#isClosed;) {
          deleted = await this.#deleteOld(sites, now, maxSweptAtOnce);
        }
      }
    } catch (error) {
      this.#onError(error);
    }
  }

  /** Stops. Resolves when the statement under way is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#underway;
  }
}
