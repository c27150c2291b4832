// Deletes stored responses that are older than the contract keeps them (docs/contract.md §5.11), in the background: a site
// whose clients stop sending keys must not keep what they left.
import type { DatabaseClient } from './client.ts';
import { siteBatches } from './siteBatches.ts';
import { deleteExpiredResponses, retentionMilliseconds } from './storedResponses.ts';

const intervalMilliseconds = 5 * 60_000;
/** How many responses one statement deletes. */
const maxDeletedAtOnce = 500;

export class ResponseSweep {
  readonly #prisma: DatabaseClient;
  readonly #onError: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #underway = Promise.resolve();
  #isClosed = false;

  /** Starts to sweep every five minutes. @param onError receives each error of a sweep; the next one tries again */
  constructor(prisma: DatabaseClient, onError: (error: unknown) => void) {
    this.#prisma = prisma;
    this.#onError = onError;
    this.#timer = setInterval(() => {
      this.#underway = this.#underway.then(() => this.sweep());
    }, intervalMilliseconds).unref();
  }

  /** Deletes all expired responses. Does not reject: errors go to `onError`. */
  async sweep(): Promise<void> {
    const oldest = new Date(Date.now() - retentionMilliseconds);
    try {
      for await (const sites of siteBatches(this.#prisma)) {
        for (let deleted = maxDeletedAtOnce; deleted === maxDeletedAtOnce && !this.#isClosed;) {
          deleted = await deleteExpiredResponses(this.#prisma, sites, oldest, maxDeletedAtOnce);
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
