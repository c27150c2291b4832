// Shares a scarce resource fairly: each caller holds at most its share, and waiting callers are served in turn, one
// request of each after the other, so that a caller with many requests delays its own and not those of others. A caller
// that holds nothing is queued ahead of trailing callers that hold something; each of these can be overtaken at most 16
// times.
import { ServiceError } from '../base/errors.ts';
import type { PromiseOrValue } from '../base/promiseOrValue.ts';
import type { QueueState } from '../telemetry/gauges.ts';

/** The limits of a queue, in any unit. */
export interface QueueLimits {
  /** The most that all callers together may hold. */
  readonly capacity: number;
  /** The most that one caller may hold. */
  readonly share: number;
  /** The longest wait of a caller before it is refused, in milliseconds. */
  readonly maxWait: number;
}

interface Waiter {
  readonly weight: number;
  /** The time of its refusal, on the clock of performance.now. */
  readonly until: number;
  readonly admit: () => void;
  readonly refuse: (error: ServiceError) => void;
}

/**
 * A caller's waiting requests, the number of callers that overtook the first of them, and its neighbours in the queue.
 */
interface CallerLine {
  readonly caller: string;
  readonly waiters: Waiter[];
  overtaken: number;
  before: CallerLine | null;
  behind: CallerLine | null;
}

/** The number of times that a caller which holds something is overtaken before each of its turns. */
const maxOvertaken = 16;

/**
 * The number of callers holding nothing that are remembered. A map that is filled and emptied again and again would
 * leave its old tables behind (src/http/unsent.ts).
 */
const maxIdle = 1_000;

export class FairQueue {
  readonly #limits: QueueLimits;
  readonly #heldBy = new Map<string, number>();
  /** The lines by caller. The first line is next, and the newest caller is the last or overtakes some at the end. */
  readonly #lines = new Map<string, CallerLine>();
  #first: CallerLine | null = null;
  #last: CallerLine | null = null;
  #held = 0;
  #isPending = false;
  /** Refuses callers that have waited for too long: one timer for all, because nearly none of them do. */
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /**
   * Lets the caller hold a slot, at once if it is free.
   * @param weight the size of the slot; one above a share counts as a whole share
   * @returns a function that gives it back; calling that one again does nothing
   * @throws unavailable after too long a wait
   */
  enter(caller: string, weight = 1): PromiseOrValue<() => void> {
    const wanted = Math.min(weight, this.#limits.share, this.#limits.capacity);
    if (this.#first === null && this.#fits(caller, wanted)) {
      this.#take(caller, wanted);
      return this.#leaving(caller, wanted);
    }
    return this.#wait(caller, wanted).then(() => this.#leaving(caller, wanted));
  }

  /** Returns a function that gives back a slot, once. */
  #leaving(caller: string, weight: number): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#take(caller, -weight);
      if (this.#first !== null) this.#admitLater();
    };
  }

  /**
   * Admits the next waiting requests in a later turn of the event loop, so that other work runs between two turns. Only
   * one such call is pending at a time, because one turn makes all of them.
   */
  #admitLater(): void {
    if (this.#isPending) return;
    this.#isPending = true;
    setImmediate(() => {
      this.#isPending = false;
      this.#admitNext();
    });
  }

  /** The amount that is held, and the number of waiting requests. */
  readState(): QueueState {
    const waiting = [...this.#lines.values()].reduce((sum, { waiters }) => sum + waiters.length, 0);
    return { capacity: this.#limits.capacity, held: this.#held, waiting };
  }

  /** Whether a caller waits for room that others hold, and not for its own share. */
  lacksRoom(): boolean {
    for (let line = this.#first; line !== null; line = line.behind) {
      if (this.#fitsShare(line.caller, line.waiters[0]?.weight ?? 0)) return true;
    }
    return false;
  }

  #wait(caller: string, weight: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = { weight, until: performance.now() + this.#limits.maxWait, admit: resolve, refuse: reject };
      if (this.#timer === undefined) this.#refuseIn(this.#limits.maxWait);
      const line = this.#lines.get(caller);
      if (line !== undefined) line.waiters.push(waiter);
      else this.#insert({ caller, waiters: [waiter], overtaken: 0, before: this.#findPlace(caller), behind: null });
      this.#admitNext();
    });
  }

  /**
   * Finds the position of a caller that begins to wait: behind all others or, if it holds nothing, before trailing
   * callers that hold something, which it overtakes. The cap on overtaking also bounds this scan.
   */
  #findPlace(caller: string): CallerLine | null {
    let place = this.#last;
    if (this.#isHolding(caller)) return place;
    for (; place !== null && place.overtaken < maxOvertaken && this.#isHolding(place.caller); place = place.before) {
      place.overtaken += 1;
    }
    return place;
  }

  /** Inserts a line behind the one that it names as `before`. */
  #insert(line: CallerLine): void {
    const { before } = line;
    line.behind = before === null ? this.#first : before.behind;
    if (before === null) this.#first = line;
    else before.behind = line;
    if (line.behind === null) this.#last = line;
    else line.behind.before = line;
    this.#lines.set(line.caller, line);
  }

  #remove(line: CallerLine): void {
    const { before, behind } = line;
    if (before === null) this.#first = behind;
    else before.behind = behind;
    if (behind === null) this.#last = before;
    else behind.before = before;
    this.#lines.delete(line.caller);
    // A removed line must not keep the later ones alive.
    line.before = null;
    line.behind = null;
  }

  /** Admits the next requests as long as there is room. */
  #admitNext(): void {
    for (let line = this.#first; line !== null;) {
      const { caller, waiters, behind } = line;
      const [first] = waiters;
      // A caller that waits for its own share delays no other one; one that waits for room also delays all behind it.
      if (first === undefined || !this.#fitsShare(caller, first.weight)) {
        line = behind;
        continue;
      }
      if (!this.#fits(caller, first.weight)) return;
      this.#remove(line);
      waiters.shift();
      // The caller's next turn is after those of all others.
      const next: CallerLine | null = waiters.length === 0 ? null : { ...line, overtaken: 0, before: this.#last };
      if (next !== null) this.#insert(next);
      this.#take(caller, first.weight);
      first.admit();
      line = behind ?? next;
    }
  }

  /** Refuses callers that have waited for too long. Others may have waited behind them. */
  #refuseLate(): void {
    const now = performance.now();
    let soonest = Infinity;
    for (let line = this.#first; line !== null;) {
      const { waiters, behind } = line;
      while ((waiters[0]?.until ?? Infinity) <= now) {
        waiters.shift()?.refuse(new ServiceError('unavailable', { detail: 'The service is busy. Try again.' }));
      }
      soonest = Math.min(soonest, waiters[0]?.until ?? Infinity);
      if (waiters.length === 0) this.#remove(line);
      line = behind;
    }
    this.#timer = undefined;
    if (soonest < Infinity) this.#refuseIn(soonest - now);
    this.#admitNext();
  }

  #refuseIn(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#refuseLate(), milliseconds).unref();
  }

  #take(caller: string, weight: number): void {
    const held = (this.#heldBy.get(caller) ?? 0) + weight;
    this.#held += weight;
    if (held === 0 && this.#heldBy.size > maxIdle) this.#heldBy.delete(caller);
    else this.#heldBy.set(caller, held);
  }

  #isHolding(caller: string): boolean {
    return (this.#heldBy.get(caller) ?? 0) > 0;
  }

  #fits(caller: string, weight: number): boolean {
    return this.#held + weight <= this.#limits.capacity && this.#fitsShare(caller, weight);
  }

  #fitsShare(caller: string, weight: number): boolean {
    return (this.#heldBy.get(caller) ?? 0) + weight <= this.#limits.share;
  }
}
