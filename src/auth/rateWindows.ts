// The operations of each key within a minute, as far as this process knows them: those that it has counted itself, and those of all
// processes, where it was told of them. Counting needs no query. What is counted here is told to the others (rateCounts.ts) in
// portions of a thousandth of the limit, and at once each second where half of the limit is used up.

/**
 * The length of a window in milliseconds. It begins with a key's first operation, and once more when others have to be told of the
 * key: that is when the window of all processes begins, unless another one has begun it before.
 */
export const windowMilliseconds = 60_000;
/** A process keeps less than the limit divided by this to itself, of a key that is not near its limit. */
const portionsOfLimit = 1_000;
/** A key is near its limit where all processes together are known to have used the limit divided by this. */
const nearPart = 2;
/** How many keys are told at a time. */
const maxTold = 1_000;
/** How many keys are kept, and among how many of the oldest ones it is looked for one to drop. */
const maxWindows = 100_000;
const maxLooked = 1_000;
/** By how much the end of one window may differ between processes. In milliseconds. */
const endTolerance = 1_000;

/** The operations of a key, and how long its window lasts. */
export interface WindowCount {
  readonly operations: number;
  readonly milliseconds: number;
}

/** What a process tells of a key: the operations that nobody else knows of. */
export interface KeyCount {
  readonly key: string;
  readonly operations: number;
}

/** What all processes have told of a key. */
export type KeyTotal = KeyCount & WindowCount;

interface Window {
  /** The operations of all processes that were told. */
  known: number;
  /** Those of this process that are being told. */
  underway: number;
  /** Those of this process that are not. */
  untold: number;
  /** Whether others are or have to be told of the key: the window is that of all processes. */
  isShared: boolean;
  /** On the clock of performance.now. */
  endsAt: number;
}

export class RateWindows {
  readonly limit: number;
  /** In the order in which they began, or in which their ends were last moved to a later time. */
  readonly #windows = new Map<string, Window>();
  readonly #due = new Set<string>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Counts operations. @param operations how many; a negative number takes back what was counted */
  count(key: string, operations: number): WindowCount {
    const window = this.#open(key);
    window.untold += operations;
    this.#noteIfDue(key, window);
    return {
      operations: window.known + window.underway + window.untold,
      milliseconds: window.endsAt - performance.now(),
    };
  }

  /**
   * Takes what is to be told: first of keys near their limit, of which others must not wait to hear behind many that were used once.
   * Either `settle` or `giveBack` follows for all of it.
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

  /** Says that what was taken is told. */
  settle(told: readonly KeyCount[]): void {
    for (const { key } of told) {
      const window = this.#windows.get(key);
      if (window === undefined) continue;
      window.known += window.underway;
      window.underway = 0;
    }
  }

  /** Takes back what could not be told: it is told later. */
  giveBack(told: readonly KeyCount[]): void {
    for (const { key } of told) {
      const window = this.#windows.get(key);
      if (window === undefined) continue;
      window.untold += window.underway;
      window.underway = 0;
      this.#due.add(key);
    }
  }

  /** Learns how many operations of a key all processes have told. What was learned later, or is more, stays. */
  learn({ key, operations, milliseconds }: KeyTotal): void {
    const window = this.#open(key);
    const endsAt = performance.now() + Math.min(milliseconds, windowMilliseconds);
    // What is known of a window that is about to end must not be carried into the next one, of which the total is.
    const isNext = window.endsAt < performance.now() + endTolerance && endsAt > window.endsAt + windowMilliseconds / 2;
    // The total may have what is being told now.
    window.known = Math.max(isNext ? 0 : window.known, operations - window.underway);
    window.isShared = true;
    this.#moveEnd(key, window, endsAt);
    this.#noteIfDue(key, window);
  }

  /**
   * Forgets windows that have ended. One that ends sooner than one before it is forgotten with that one. A window's end is at most a
   * minute after it got its place in the order, so that it is kept for a minute too long at most.
   */
  forgetEnded(): void {
    const now = performance.now();
    for (const [key, { endsAt }] of this.#windows) {
      if (endsAt > now) return;
      this.#forget(key);
    }
  }

  /** How many keys are kept. */
  get size(): number {
    return this.#windows.size;
  }

  /** A window that only this process knows begins anew when it is due: else what is counted at its end would be told to nobody. */
  #noteIfDue(key: string, window: Window): void {
    if (!this.#isDue(window)) return;
    this.#due.add(key);
    if (!window.isShared) this.#moveEnd(key, window, performance.now() + windowMilliseconds);
    window.isShared = true;
  }

  /** A window whose end is moved to a later time gets the last place in the order: else it would hold up the forgetting of others. */
  #moveEnd(key: string, window: Window, endsAt: number): void {
    if (endsAt > window.endsAt) {
      this.#windows.delete(key);
      this.#windows.set(key, window);
    }
    window.endsAt = endsAt;
  }

  /**
   * Whether something is to be told. Beyond the limit only what takes counts back is: everybody was told that it is exceeded, and
   * that may cease to be so.
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
    const found = this.#find(key);
    if (found !== undefined) return found;
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

  /** Makes room: forgets the oldest key that is not near its limit, or just the oldest one where many are. */
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
