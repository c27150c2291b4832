// A bounded cache of what was looked up to decide access. It answers only while the change feed vouches that every
// change older than a second has been delivered; otherwise each look-up goes to the database.
import { LRUCache } from 'lru-cache';

/** How long an entry may live where no change is told: the safety net, in milliseconds. */
const timeToLive = 30_000;

export class AccessCache<Value extends object> {
  readonly #found = new LRUCache<string, Value>({ max: 10_000, ttl: timeToLive });
  readonly #underway = new Map<string, Promise<Value | null>>();
  readonly #isCurrent: () => boolean;

  /** @param isCurrent whether cached answers may be given now */
  constructor(isCurrent: () => boolean) {
    this.#isCurrent = isCurrent;
  }

  /**
   * The value of a key: cached, or looked up, once for all who ask at the same time. What is not found is not kept,
   * so that a thing just created is found at once.
   */
  async get(key: string, look: () => Promise<Value | null>): Promise<Value | null> {
    if (!this.#isCurrent()) return look();
    const found = this.#found.get(key) ?? this.#underway.get(key);
    return found ?? this.#look(key, look);
  }

  /** Forgets a key. A look-up under way answers those who wait for it, and is not kept. */
  forget(key: string): void {
    this.#found.delete(key);
    this.#underway.delete(key);
  }

  /** Forgets everything. */
  clear(): void {
    this.#found.clear();
    this.#underway.clear();
  }

  async #look(key: string, look: () => Promise<Value | null>): Promise<Value | null> {
    const looking = look();
    this.#underway.set(key, looking);
    try {
      const value = await looking;
      if (value !== null && this.#underway.get(key) === looking) this.#found.set(key, value);
      return value;
    } finally {
      if (this.#underway.get(key) === looking) this.#underway.delete(key);
    }
  }
}
