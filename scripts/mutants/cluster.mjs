// Faults in the use of several servers and processes (docs/scaling.md).

/** @type {import('./index.d.mts').Mutant[]} */
export const clusterMutants = [
  {
    name: 'servers: requests to all of them share the queues of one',
    in: 'Shares.#findServerQueues',
    find: 'const server = await serverOf(site)',
    put: 'const server = (await serverOf(site))?.slice(0, 0) ?? null',
    tests: ['test/pure/unit/shares'],
  },
  {
    name: 'servers: a transaction locks rows that may move',
    in: 'SiteRunner.transact',
    find: 'await client.$queryRaw`SELECT entryway_stay(${this.#site})`;',
    put: '',
    tests: ['test/pure/unit/siteDatabase'],
  },
  {
    name: 'feed: nobody is told of new places',
    in: 'LiveChanges.assignAndNotify',
    find: 'if (state.placed > 0) this.#notices.placed(site);',
    put: '',
    tests: ['test/pure/unit/positionNotices'],
  },
  {
    name: 'feed: a notice that is lost leaves readers waiting',
    in: 'LiveChanges.#pollWatched',
    find: 'waiting.last !== last',
    put: 'waiting.last === null',
    tests: ['test/pure/unit/positionNotices'],
  },
  {
    name: 'metrics: each process counts what is not delivered',
    in: 'Undelivered.read',
    find: 'if (!this.#isLeader()) return (this.#counts = null);',
    put: '',
    tests: ['test/pure/unit/undelivered'],
  },
];
