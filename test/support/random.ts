// The one source of chance of a run: a small generator (mulberry32) with a seed, so that a run can be had again.

export interface Random {
  /** A whole number from 0 to `most`. */
  readonly upTo: (most: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <Item>(items: readonly Item[]) => Item;
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (most: number): number => Math.floor(next() * (most + 1));
  return {
    upTo,
    chance: (probability) => next() < probability,
    pick: <Item>(items: readonly Item[]) => {
      if (items.length === 0) throw new Error('There is nothing to pick from.');
      return items[upTo(items.length - 1)] as Item;
    },
  };
}
