// How often a process asks a server for proof that its caches are current: often while somebody uses them, and less often afterwards.

/** How often such a question is due while caches are used, in milliseconds, as below. */
export const lookInterval = 250;
/** Where nobody has used them for as long as this, there are fewer questions. */
const usedMilliseconds = 10_000;
const unusedInterval = 1_000;

export class LookPace {
  #usedAt = performance.now();

  /** Says that the caches are used now. @returns whether they were not for some time, so that a question is due at once */
  expectUse(): boolean {
    const isNew = !this.#isUsed;
    this.#usedAt = performance.now();
    return isNew;
  }

  /** Whether a question is due, called at each `lookInterval`. @param provenUntil the time (of performance.now) of the last proof */
  isDue(provenUntil: number): boolean {
    return this.#isUsed || performance.now() - provenUntil > unusedInterval - lookInterval;
  }

  get #isUsed(): boolean {
    return performance.now() - this.#usedAt < usedMilliseconds;
  }
}
