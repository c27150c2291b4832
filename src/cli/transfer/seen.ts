// Which values came by already: a set of their hashes, in 8 to 16 bytes for each, so that a file of a hundred million rows
// still fits. Two values out of ten million have one hash with a chance of about three in a million.
import { createHash } from 'node:crypto';

export class Seen {
  #slots = new BigUint64Array(1 << 12);
  #count = 0;

  /** Adds a value. Returns whether it was there. */
  add(value: string): boolean {
    const hash = createHash('sha1').update(value).digest().readBigUInt64LE() || 1n;
    const slot = this.#slotOf(hash);
    if (this.#slots[slot] === hash) return true;
    this.#slots[slot] = hash;
    this.#count += 1;
    if (this.#count * 2 > this.#slots.length) this.#grow();
    return false;
  }

  /** Where a hash is, or would be. */
  #slotOf(hash: bigint): number {
    let slot = Number(hash & BigInt(this.#slots.length - 1));
    while (this.#slots[slot] !== 0n && this.#slots[slot] !== hash) slot = (slot + 1) % this.#slots.length;
    return slot;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new BigUint64Array(old.length * 2);
    for (const hash of old) if (hash !== 0n) this.#slots[this.#slotOf(hash)] = hash;
  }
}
