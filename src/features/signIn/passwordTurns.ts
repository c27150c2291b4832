// Bounds the work of hashing passwords (docs/contract.md §14.8): each takes 32 MiB and a tenth of a second of a processor.
// Half of the places to wait are for browsers in which the user was signed in before, and these go first: strangers who
// try many passwords keep nobody out of a browser that was in.
import { fail } from '../../base/errors.ts';

const maxRunning = 2;
/** The number of places to wait, for browsers that were in before and for all others each. */
const maxWaiting = 16;

export class PasswordTurns {
  #running = 0;
  readonly #known: (() => void)[] = [];
  readonly #others: (() => void)[] = [];

  /**
   * Runs some work on a password in its turn.
   * @param isKnown whether it comes from a browser in which the user was signed in before
   * @throws unavailable if too many wait; and as the work
   */
  async run<Result>(isKnown: boolean, work: () => Promise<Result>): Promise<Result> {
    await this.#enter(isKnown ? this.#known : this.#others);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(line: (() => void)[]): Promise<void> {
    if (this.#running < maxRunning) {
      this.#running += 1;
      return Promise.resolve();
    }
    if (line.length >= maxWaiting) fail('unavailable', 'Too many sign-ins are under way. Try again.');
    return new Promise((resolve) => line.push(resolve));
  }

  /** Passes the turn on, or gives it back. */
  #leave(): void {
    const next = this.#known.shift() ?? this.#others.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }
}
