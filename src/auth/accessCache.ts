// A cache of look-ups on which access decisions depend: it answers only while the change feed guarantees that it is current.
import { LRUCache } from 'lru-cache';
import type { PromiseOrValue } from '../base/promiseOrValue.ts';
import type { ChangeFeed } from '../database/changeFeed.ts';
import type { CacheState } from '../telemetry/gauges.ts';

/** The greatest age of a cached answer, in milliseconds: a safety net, in case a change is not announced. */
const maxAnswerAge = 30_000;
/** The greatest number of answers in a cache and, below, of their bytes: definitions of channels can be large. */
const maxAnswers = 10_000;
const maxBytes = 33_554_432;
/** The bytes that every answer takes. */
export const usualBytes = 500;

type LookUp<Value> = () => Promise<Value | null>;

/**
 * A bounded cache of look-ups by key. It is used only while the change feed guarantees that every change older than a second
 * has been delivered; otherwise each look-up goes to the database.
 */
export class AccessCache<Value extends object> {
  readonly #source: { readonly feed: Pick<ChangeFeed, 'isCurrent'> | null };
  readonly #measure: (value: Value) => number;
  readonly #lookUps = { hits: 0, misses: 0, bypassed: 0 };
  readonly #answers = new LRUCache<string, { readonly value: Value | null }, LookUp<Value>>({
    max: maxAnswers,
    maxSize: maxBytes,
    sizeCalculation: ({ value }) => usualBytes + (value === null ? 0 : this.#measure(value)),
    ttl: maxAnswerAge,
    // Otherwise each millisecond begins a timer, which takes longer than reading the clock.
    ttlResolution: 0,
    fetchMethod: async (_key, _stale, { context: lookUp }) => ({ value: await lookUp() }),
    // If a key is forgotten during its look-up, the callers that wait for it still get the answer, but it is not
    // cached.
    ignoreFetchAbort: true,
  });

  /**
   * @param source holds the feed that invalidates the cache; while it is null, nothing is cached
   * @param measure the bytes that a value takes beyond `usualBytes`
   */
  constructor(
    source: { readonly feed: Pick<ChangeFeed, 'isCurrent'> | null },
    measure: (value: Value) => number = () => 0,
  ) {
    this.#source = source;
    this.#measure = measure;
  }

  /**
   * Returns the value of a key from the cache, at once, or looks it up, once for concurrent callers. A null is not
   * cached, so that an object is found as soon as it has been created.
   * @throws the errors of `lookUp`
   */
  get(key: string, lookUp: LookUp<Value>): PromiseOrValue<Value | null> {
    if (this.#source.feed?.isCurrent() !== true) {
      this.#lookUps.bypassed += 1;
      return lookUp();
    }
    const known = this.#answers.get(key);
    if (known === undefined) return this.#fetch(key, lookUp);
    this.#lookUps.hits += 1;
    return known.value;
  }

  async #fetch(key: string, lookUp: LookUp<Value>): Promise<Value | null> {
    this.#lookUps.misses += 1;
    const answer = await this.#answers.forceFetch(key, { context: lookUp });
    if (answer.value === null && this.#answers.peek(key) === answer) this.#answers.delete(key);
    return answer.value;
  }

  forget(key: string): void {
    this.#answers.delete(key);
  }

  clear(): void {
    this.#answers.clear();
  }

  readState(): CacheState {
    return { answers: this.#answers.size, ...this.#lookUps };
  }
}
