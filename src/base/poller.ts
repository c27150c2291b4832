// Poller: runs work again and again, with a pause after each run, until it is closed.

/**
 * A process that is not the leader makes one of so many polls, in case the leader is stuck (docs/contract.md §13.5).
 */
export const followerPolls = 20;

interface Polling {
  /** The pause after each poll, in milliseconds; a function is called after each. */
  readonly every: number | (() => number);
  /** The pause before the first poll; absent for the same one. */
  readonly firstAfter?: number;
  /**
   * The spread of pauses, as a part of `every`, so that many processes do not poll at once; absent if they are equal.
   */
  readonly jitter?: number;
  /**
   * Whether this process polls for all; the others make one of `followerPolls`. Absent if each process polls for
   * itself.
   */
  readonly isLeader?: () => boolean;
  readonly poll: () => Promise<void> | void;
  /** Receives each error of a poll, after which the next one comes as usual. */
  readonly onError: (error: unknown) => void;
}

export class Poller {
  readonly #polling: Polling;
  /** Begins at random, so that followers that start together do not poll at the same time; and not with the first poll. */
  #polls = Math.floor(Math.random() * (followerPolls - 1));
  #timer: NodeJS.Timeout | undefined;
  #underway: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(polling: Polling) {
    this.#polling = polling;
    this.#schedule(polling.firstAfter ?? this.#pause());
  }

  /** Stops. Resolves when the running poll is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    // Errors that a poll could not report are stray rejections already.
    await this.#underway.catch(() => undefined);
  }

  #pause(): number {
    const { every, jitter = 0 } = this.#polling;
    return (typeof every === 'number' ? every : every()) * (1 + (Math.random() - 0.5) * jitter);
  }

  #schedule(pause: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#underway = this.#pollIfDue().finally(() => this.#schedule(this.#pause()));
    }, pause).unref();
  }

  async #pollIfDue(): Promise<void> {
    const { isLeader, poll, onError } = this.#polling;
    this.#polls += 1;
    try {
      if (isLeader?.() === false && this.#polls % followerPolls !== 0) return;
      await poll();
    } catch (error) {
      onError(error);
    }
  }
}
