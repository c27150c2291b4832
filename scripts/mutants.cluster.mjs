// Faults in the use of several servers and processes (docs/scaling.md).

/** @type {import('./mutants.mjs').Mutant[]} */
export const clusterMutants = [
  {
    name: 'servers: whoever waits for one has turns of those who wait for others',
    file: 'src/admission/shares.ts',
    find: 'const server = await serverOf(site);',
    put: 'const server = (await serverOf(site))?.slice(0, 0) ?? null;',
    tests: ['test/pure/unit/shares'],
  },
  {
    name: 'servers: a transaction locks rows that may move',
    file: 'src/database/siteDatabase.ts',
    find: 'await (client as DatabaseClient).$queryRaw`SELECT entryway_stay(${site})`;',
    put: '',
    tests: ['test/pure/unit/siteDatabase'],
  },
  {
    name: 'feed: nobody is told of new places',
    file: 'src/entries/feed/liveChanges.ts',
    find: 'if (state.placed > 0) this.#notices.placed(site);',
    put: '',
    tests: ['test/pure/unit/placeNotices'],
  },
  {
    name: 'feed: a notice that is lost leaves readers waiting',
    file: 'src/entries/feed/liveChanges.ts',
    find: 'if (waiting !== undefined && waiting.last !== last) {',
    put: 'if (waiting !== undefined && waiting.last === null) {',
    tests: ['test/pure/unit/placeNotices'],
  },
  {
    name: 'metrics: each process counts what is not delivered',
    file: 'src/database/undelivered.ts',
    find: 'if (!this.#isLeader()) return (this.#known = null);',
    put: '',
    tests: ['test/pure/unit/undelivered'],
  },
];
