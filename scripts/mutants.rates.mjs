// Faults in how processes share the limits on rates (docs/contract.md §13.1), and in who does what one does for all (docs/contract.md §13.5).

const pure = ['test/pure/unit/rateSharing'];
const real = ['test/postgresql/rateLimits'];

/** @type {import('./mutants.mjs').Mutant[]} */
export const rateMutants = [
  {
    name: 'rates: nothing is told near the limit',
    file: 'src/auth/rateWindows.ts',
    find: 'return known >= this.limit / nearPart || untold',
    put: 'return untold',
    tests: pure,
  },
  {
    name: 'rates: everything is told',
    file: 'src/auth/rateWindows.ts',
    find: 'untold >= this.limit / portionsOfLimit',
    put: 'untold >= 1 / portionsOfLimit',
    tests: pure,
  },
  {
    name: 'rates: what is counted at the end of a window of one process is forgotten',
    file: 'src/auth/rateWindows.ts',
    find: 'if (!window.isShared) window.endsAt = performance.now() + windowMilliseconds;',
    put: '',
    tests: pure,
  },
  {
    name: 'rates: beyond the limit nothing is told that takes counts back',
    file: 'src/auth/rateWindows.ts',
    find: '(known > this.limit && untold > 0)',
    put: 'known > this.limit',
    tests: pure,
  },
  {
    name: 'rates: what could not be told is forgotten',
    file: 'src/auth/rateWindows.ts',
    find: 'window.untold += window.underway;',
    put: '',
    tests: pure,
  },
  {
    name: 'rates: a total counts what is told twice',
    file: 'src/auth/rateWindows.ts',
    find: 'operations - window.underway',
    put: 'operations + window.known',
    tests: pure,
  },
  {
    name: 'rates: what workers count of one key is not added up',
    file: 'src/cli/workerRates.ts',
    find: 'operations: operations + count.operations }',
    put: 'operations: Math.max(operations, count.operations) }',
    tests: pure,
  },
  {
    name: 'rates: the answers to workers get lost',
    file: 'src/cli/workerRates.ts',
    find: 'message.told === undefined ? message.slot : 0',
    put: 'message.told === undefined ? 0 : 1',
    tests: ['test/postgresql/workers'],
  },
  {
    name: 'rates: the window of all begins too short',
    file: 'src/database/rateCounts.ts',
    find: "now() + interval '60 seconds' FROM told t",
    put: "now() + interval '1 second' FROM told t",
    tests: real,
  },
  {
    name: 'rates: a window that has ended goes on',
    file: 'src/database/rateCounts.ts',
    find: "CASE WHEN r.ends_at > now() AND r.ends_at <= now() + interval '65 seconds' THEN r.operations ELSE 0 END",
    put: 'r.operations',
    tests: real,
  },
  {
    name: 'rates: a window lasts until a clock that stepped back has caught up',
    file: 'src/database/rateCounts.ts',
    find: "AND r.ends_at <= now() + interval '65 seconds' THEN r.ends_at",
    put: 'THEN r.ends_at',
    tests: real,
  },
  {
    name: 'rates: windows of before a clock stepped back are kept',
    file: 'src/database/rateCounts.ts',
    find: "o.ends_at < now() OR o.ends_at > now() + interval '2 minutes'",
    put: 'o.ends_at < now()',
    tests: real,
  },
  {
    name: 'rates: nobody is told that a limit is exceeded',
    file: 'src/database/rateCounts.ts',
    find: `OR a.operations - t.operations <= t."limit" AND a.operations > t."limit"`,
    put: '',
    tests: real,
  },
  {
    name: 'leader: everybody is',
    file: 'src/database/listenConnection.ts',
    find: "this.#isLeader ||= row?.['isLeader'] === true;",
    put: "this.#isLeader ||= row?.['isLeader'] !== 0;",
    tests: ['test/postgresql/changes.test'],
  },
  {
    name: 'leader: whoever falls silent stays it',
    file: 'src/database/listenConnection.ts',
    find: 'await listener.#execute(endIfSilent);',
    put: '',
    tests: ['test/postgresql/changes.test'],
  },
  {
    name: 'heartbeats: they stay few where a proof is asked for again',
    file: 'src/database/listenConnection.ts',
    find: 'if (this.#underway !== null || !(this.#isUsed || isDue)) return;',
    put: 'if (this.#underway !== null || !isDue) return;',
    tests: ['test/postgresql/changes.test'],
  },
];
