// Shares a scarce resource among callers: each holds at most its share, and those who wait are served in turns, one request
// of each caller after the other, so that a caller with many requests delays its own and not those of others. Who begins to wait
// while it holds nothing has its turn before those at the end of the line who hold something, which are overtaken only a few times.
import { ServiceError } from './errors.ts';
import type { QueueState } from './telemetry/gauges.ts';

/** How much there is, in any unit. */
export interface QueueLimits {
  /** What all callers together may hold. */
  readonly capacity: number;
  /** What one caller may hold. */
  readonly share: number;
  /** How long a caller waits, in milliseconds, before it is refused. */
  readonly maxWait: number;
}

interface Waiter {
  readonly weight: number;
  readonly admit: () => void;
}

/** A caller's waiting requests, and how many callers have overtaken the first of them. */
interface Line {
  readonly waiters: Waiter[];
  overtaken: number;
}

/** Who holds something is overtaken so often before each of its turns. */
const maxOvertaken = 16;

export class FairQueue {
  readonly #limits: QueueLimits;
  readonly #heldBy = new Map<string, number>();
  /** The waiting requests by caller; the first caller has the next turn. */
  readonly #waiting = new Map<string, Line>();
  #held = 0;
  #isPending = false;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /**
   * Waits until the caller may hold a part.
   * @param weight how much; more than a share counts as a whole share
   * @returns a function that gives it back; calling that one again does nothing
   * @throws unavailable if it waited for too long
   */
  async enter(caller: string, weight = 1): Promise<() => void> {
    const wanted = Math.min(weight, this.#limits.share, this.#limits.capacity);
    if (this.#waiting.size > 0 || !this.#fits(caller, wanted)) await this.#wait(caller, wanted);
    else this.#take(caller, wanted);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#take(caller, -wanted);
      this.#admitLater();
    };
  }

  /**
   * Admits the next waiting requests in a later turn of the event loop, so that other work has a turn between two of them. Only one
   * such call is pending at a time, because one turn makes all of them.
   */
  #admitLater(): void {
    if (this.#waiting.size === 0 || this.#isPending) return;
    this.#isPending = true;
    setImmediate(() => {
      this.#isPending = false;
      this.#admitNext();
    });
  }

  /** Runs some work while holding a part. @returns its result @throws what it throws; unavailable as `enter` */
  async run<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter(caller);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** How much is held, and how many wait. */
  readState(): QueueState {
    const waiting = [...this.#waiting.values()].reduce((sum, { waiters }) => sum + waiters.length, 0);
    return { capacity: this.#limits.capacity, held: this.#held, waiting };
  }

  /** Whether somebody waits for room that others hold, and not for its own share. */
  lacksRoom(): boolean {
    return [...this.#waiting].some(
      ([
        caller,
        {
          waiters: [first],
        },
      ]) => first !== undefined && this.#fitsShare(caller, first.weight),
    );
  }

  #wait(caller: string, weight: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#removeWaiter(caller, waiter);
        reject(new ServiceError('unavailable', { detail: 'The service is busy. Try again.' }));
        // Others may have waited behind this one.
        this.#admitNext();
      }, this.#limits.maxWait);
      const admit = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const waiter = { weight, admit };
      const others = this.#waiting.get(caller);
      if (others) others.waiters.push(waiter);
      else this.#line(caller, waiter);
      this.#admitNext();
    });
  }

  /** Has a caller wait: behind all others, or before those at the end that hold something if it holds nothing itself. */
  #line(caller: string, waiter: Waiter): void {
    const behind = this.#heldBy.has(caller) ? [] : this.#listOvertaken();
    this.#waiting.set(caller, { waiters: [waiter], overtaken: 0 });
    for (const [other, line] of behind) {
      line.overtaken += 1;
      this.#waiting.delete(other);
      this.#waiting.set(other, line);
    }
  }

  /** The callers at the end of the line that a newcomer overtakes, in their order. */
  #listOvertaken(): [string, Line][] {
    let behind: [string, Line][] = [];
    for (const [caller, line] of this.#waiting) {
      if (this.#heldBy.has(caller) && line.overtaken < maxOvertaken) behind.push([caller, line]);
      else if (behind.length > 0) behind = [];
    }
    return behind;
  }

  /** Admits whoever may be next, as long as there is room. */
  #admitNext(): void {
    for (const [caller, { waiters }] of this.#waiting) {
      const [first] = waiters;
      // A caller that waits for its own share holds up nobody else; those behind one that waits for room wait, too.
      if (first === undefined || !this.#fitsShare(caller, first.weight)) continue;
      if (!this.#fits(caller, first.weight)) return;
      this.#removeWaiter(caller, first);
      // The caller's next turn is after those of all others.
      this.#waiting.delete(caller);
      if (waiters.length > 0) this.#waiting.set(caller, { waiters, overtaken: 0 });
      this.#take(caller, first.weight);
      first.admit();
      this.#admitNext();
      return;
    }
  }

  #removeWaiter(caller: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(caller)?.waiters ?? [];
    const at = waiters.indexOf(waiter);
    if (at >= 0) waiters.splice(at, 1);
    if (waiters.length === 0) this.#waiting.delete(caller);
  }

  #take(caller: string, weight: number): void {
    const held = (this.#heldBy.get(caller) ?? 0) + weight;
    this.#held += weight;
    if (held === 0) this.#heldBy.delete(caller);
    else this.#heldBy.set(caller, held);
  }

  #fits(caller: string, weight: number): boolean {
    return this.#held + weight <= this.#limits.capacity && this.#fitsShare(caller, weight);
  }

  #fitsShare(caller: string, weight: number): boolean {
    return (this.#heldBy.get(caller) ?? 0) + weight <= this.#limits.share;
  }
}
