// Counts the operations of each key within a minute: those of this process, and those of all processes as far as it has
// learned them. Counting needs no query. A process shares its counts (rateCounts.ts) in portions of a thousandth of the
// limit, and every second once half of the limit is used up.

import type { RateLimitName } from './rateCounts.ts';

/**
 * The length of a window in milliseconds. A window begins with a key's first operation, and restarts when its count is to be shared
 * for the first time: the window of all processes begins then, unless another process has begun it before.
 */
export const windowMilliseconds = 60_000;
/** The count of a key that is not near its limit is shared once it reaches the limit divided by this. */
const portionsOfLimit = 1_000;
/** A key is near its limit once all processes together are known to have used the limit divided by this. */
const nearPart = 2;
/** The number of keys that are shared at a time. */
const maxTold = 1_000;
/** The number of keys that are kept; below, the number of the oldest ones that are searched for one to drop. */
const maxWindows = 100_000;
const maxLooked = 1_000;
/** The largest difference of the ends of one window between processes, in milliseconds. */
const endTolerance = 1_000;

/** The operations of a key, and the rest of its window. */
interface WindowCount {
  readonly operations: number;
  readonly milliseconds: number;
}

/** The operations of a window so far, and the limit that they count against. */
export interface LimitedCount extends WindowCount {
  readonly name: RateLimitName;
  readonly limit: number;
}

/** A count to share: the operations of a key that no other process knows of. */
export interface KeyCount {
  readonly key: string;
  readonly operations: number;
}

/** The operations that all processes have shared of a key. */
export type KeyTotal = KeyCount & WindowCount;

interface Window {
  /** The shared operations of all processes. */
  known: number;
  /** The operations of this process that are being shared. */
  underway: number;
  /** The operations of this process that are not shared yet. */
  untold: number;
  /** Whether the key was shared or is about to be, so that the window is that of all processes. */
  isShared: boolean;
  /** On the clock of performance.now. */
  endsAt: number;
}

/** The count that has less left. */
export function findTighter(first: LimitedCount, second: LimitedCount): LimitedCount {
  return second.limit - second.operations < first.limit - first.operations ? second : first;
}

export class RateWindows {
  readonly limit: number;
  readonly #name: RateLimitName;
  /** In the order in which they began or were last extended. */
  readonly #windows = new Map<string, Window>();
  readonly #due = new Set<string>();

  constructor(name: RateLimitName, limit: number) {
    this.#name = name;
    this.limit = limit;
  }

  /** Counts operations. @param operations the number of them; a negative one takes back a count */
  count(key: string, operations: number): LimitedCount {
    const window = this.#open(key);
    window.untold += operations;
    if (this.#isDue(window)) this.#noteDue(key, window);
    return {
      name: this.#name,
      limit: this.limit,
      operations: window.known + window.underway + window.untold,
      milliseconds: window.endsAt - performance.now(),
    };
  }

  /**
   * Takes the counts to share, first those of keys near their limit, which must not wait behind many keys that were
   * used once. The caller then passes all of them either to `settle` or to `giveBack`.
   */
  takeDue(): KeyCount[] {
    const told: KeyCount[] = [];
    for (const isFirst of [true, false]) {
      for (const key of this.#due) {
        if (told.length === maxTold) return told;
        const window = this.#find(key);
        if (isFirst && window !== undefined && !this.#isNearLimit(window)) continue;
        this.#due.delete(key);
        if (window?.underway !== 0 || !this.#isDue(window)) continue;
        told.push({ key, operations: window.untold });
        window.underway = window.untold;
        window.untold = 0;
      }
    }
    return told;
  }

  /** Notes that the taken counts were shared. */
  settle(told: readonly KeyCount[]): void {
    for (const { key } of told) {
      const window = this.#windows.get(key);
      if (window === undefined) continue;
      window.known += window.underway;
      window.underway = 0;
    }
  }

  /** Takes back counts that could not be shared, so that they are shared later. */
  giveBack(told: readonly KeyCount[]): void {
    for (const { key } of told) {
      const window = this.#windows.get(key);
      if (window === undefined) continue;
      window.untold += window.underway;
      window.underway = 0;
      this.#due.add(key);
    }
  }

  /** Learns a total of all processes. A larger known one stays, because totals may come out of order. */
  learn({ key, operations, milliseconds }: KeyTotal): void {
    const window = this.#open(key);
    const endsAt = performance.now() + Math.min(milliseconds, windowMilliseconds);
    // The total may be that of the next window, into which the count of the ending window must not be carried.
    const isNext = window.endsAt < performance.now() + endTolerance && endsAt > window.endsAt + windowMilliseconds / 2;
    // The total may include the operations that are being shared now.
    window.known = Math.max(isNext ? 0 : window.known, operations - window.underway);
    window.isShared = true;
    this.#moveEnd(key, window, endsAt);
    if (this.#isDue(window)) this.#noteDue(key, window);
  }

  /**
   * Forgets ended windows, up to the first unended one. Ended ones behind it are kept for at most a minute too long,
   * because a window ends at most a minute after it got its position in the order.
   */
  forgetEnded(): void {
    const now = performance.now();
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now) return;
      this.#forget(key);
    }
  }

  /** The number of kept keys. */
  get size(): number {
    return this.#windows.size;
  }

  /**
   * Queues a key that is due. A window that only this process knew restarts, or its last operations would never be
   * shared.
   */
  #noteDue(key: string, window: Window): void {
    this.#due.add(key);
    if (!window.isShared) this.#moveEnd(key, window, performance.now() + windowMilliseconds);
    window.isShared = true;
  }

  /**
   * Gives an extended window the last position in the order: in its old one it would stop `forgetEnded` before the
   * others.
   */
  #moveEnd(key: string, window: Window, endsAt: number): void {
    if (endsAt > window.endsAt) {
      this.#windows.delete(key);
      this.#windows.set(key, window);
    }
    window.endsAt = endsAt;
  }

  /**
   * Whether a count is to be shared. Beyond the limit only a negative one is: all processes know that the limit is exceeded, and
   * only taking counts back can change that.
   */
  #isDue({ known, untold }: Window): boolean {
    if (untold === 0 || (known > this.limit && untold > 0)) return false;
    return known >= this.limit / nearPart || untold >= this.limit / portionsOfLimit;
  }

  #isNearLimit({ known, underway, untold }: Window): boolean {
    return known + underway + untold >= this.limit / nearPart;
  }

  #find(key: string): Window | undefined {
    const window = this.#windows.get(key);
    return window !== undefined && window.endsAt > performance.now() ? window : undefined;
  }

  #open(key: string): Window {
    const open = this.#windows.get(key);
    if (open !== undefined && open.endsAt > performance.now()) return open;
    const window = {
      known: 0,
      underway: 0,
      untold: 0,
      isShared: false,
      endsAt: performance.now() + windowMilliseconds,
    };
    this.#windows.delete(key);
    if (this.#windows.size >= maxWindows) this.#dropOne();
    this.#windows.set(key, window);
    return window;
  }

  /** Makes room: forgets the oldest key that is not near its limit, or simply the oldest one if `maxLooked` keys are near theirs. */
  #dropOne(): void {
    let oldest: string | null = null;
    let looked = 0;
    for (const [key, window] of this.#windows) {
      if (!this.#isNearLimit(window)) {
        this.#forget(key);
        return;
      }
      oldest ??= key;
      looked += 1;
      if (looked === maxLooked) break;
    }
    if (oldest !== null) this.#forget(oldest);
  }

  #forget(key: string): void {
    this.#windows.delete(key);
    this.#due.delete(key);
  }
}
