// Faults in the use of several servers and processes (docs/scaling.md).

/** @type {import('./mutants.mjs').Mutant[]} */
export const clusterMutants = [
  {
    name: 'servers: whoever waits for one has turns of those who wait for others',
    file: 'src/shares.ts',
    find: 'serverOf === undefined || site === undefined ? this.#home',
    put: 'serverOf === undefined || site !== undefined ? this.#home',
    tests: ['test/pure/unit/shares'],
  },
];
