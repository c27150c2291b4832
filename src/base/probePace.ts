// Sets the pace of probing a server for proof that a process's caches are current: often while they are used, and less
// often afterwards.

/** The interval between due probes while the caches are used, in milliseconds, as below. */
export const probeInterval = 250;
/** The time without use after which probes become rarer. */
const usedMilliseconds = 10_000;
const unusedInterval = 1_000;

export class ProbePace {
  #usedAt = performance.now();

  /**
   * Notes that the caches are used now. @returns whether they were unused for some time, so that a probe is due at once
   */
  expectUse(): boolean {
    const isNew = !this.#isUsed;
    this.#usedAt = performance.now();
    return isNew;
  }

  /**
   * Whether a probe is due, called at each `probeInterval`. @param provenUntil the time (of performance.now) of the last
   * proof
   */
  isDue(provenUntil: number): boolean {
    return this.#isUsed || performance.now() - provenUntil > unusedInterval - probeInterval;
  }

  get #isUsed(): boolean {
    return performance.now() - this.#usedAt < usedMilliseconds;
  }
}
