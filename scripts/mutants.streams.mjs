// The faults of streams that share what is read for them (docs/contract.md §9.2): see mutants.mjs.

const readings = ['test/pure/unit/readings'];
const readerships = ['test/pure/unit/readerships'];
const follow = ['test/pure/unit/follow'];

/** @type {import('./mutants.mjs').Mutant[]} */
export const streamMutants = [
  {
    name: 'unsent: the texts that streams have still to be sent do not count',
    file: 'src/http/unsent.ts',
    find: 'if (text !== null) changeReaders(text, 1);',
    put: '',
    tests: ['test/pure/unit/unsent'],
  },
  {
    name: 'unsent: streams that drip hold all of their texts',
    file: 'src/http/eventStream.ts',
    find: 'countUnsent(response, text);',
    put: 'countUnsent(response, null);',
    tests: ['test/once/process/drips'],
  },
  {
    name: 'streams: readers share whatever the roles of their customers',
    file: 'src/features/changes/reading.ts',
    find: 'writeCanonical(reading)',
    put: 'writeCanonical({ ...reading, caller: { ...reading.caller, customer: reading.caller.customer?.id } })',
    tests: readings,
    ci: true,
  },
  {
    name: 'streams: readers share whatever they asked for',
    file: 'src/features/changes/reading.ts',
    find: 'writeCanonical(reading)',
    put: 'writeCanonical({ ...reading, args: null })',
    tests: readings,
  },
  {
    name: 'streams: what cannot be compared is the same',
    file: 'src/base/canonical.ts',
    find: "throw new TypeError('Only plain data has a canonical text.');",
    put: "return '{}';",
    tests: readings,
  },
  {
    name: 'streams: sets are the same whatever they hold',
    file: 'src/base/canonical.ts',
    find: "if (value instanceof Set) return `Set(${[...value].map(writeCanonical).sort().join(',')})`;",
    put: "if (value instanceof Set) return 'Set()';",
    tests: readings,
  },
  {
    name: 'streams: rights are not looked at between a look and the reader who is told',
    file: 'src/features/changes/follow.ts',
    find: 'if (!isDeepStrictEqual(await renewCaller(context), membership.reading.caller)) continue;',
    put: '',
    tests: follow,
    ci: true,
  },
  {
    name: 'streams: a caller with other roles stays with those who have the old ones',
    file: 'src/features/changes/follow.ts',
    find: 'if (last !== null && isDeepStrictEqual(caller, last.reading.caller)) return last;',
    put: 'if (last !== null) return last;',
    tests: follow,
  },
  {
    name: 'streams: a reader to whom nothing is shown never hears of its new roles',
    file: 'src/admission/streams.ts',
    find: 'if (this.#waitsAs !== null && !isDeepStrictEqual(caller, this.#waitsAs)) this.wake();',
    put: '',
    tests: ['test/pure/unit/streams'],
  },
  {
    name: 'streams: the rest of a page is sent to a reader whose rights have ended',
    file: 'src/features/changes/follow.ts',
    find: 'if (hasEnded(held)) return;',
    put: '',
    tests: follow,
  },
  {
    name: 'streams: a change that comes during a look is missed',
    file: 'src/features/changes/readership.ts',
    find: 'group.seen = more ? unlooked : wakes;',
    put: 'group.seen = more ? unlooked : this.#wakes;',
    tests: readerships,
    ci: true,
  },
  {
    name: 'streams: each reader has a place of its own',
    file: 'src/features/changes/readership.ts',
    find: 'const group = this.#groups.get(place) ?? new Group<Written>(place, this.#parts.limit);',
    put: 'const group = new Group<Written>(place, this.#parts.limit);',
    tests: readerships,
  },
  {
    name: 'streams: the first who are told begin the next look alone',
    file: 'src/features/changes/readership.ts',
    find: 'if (next.seats.size === 0) next.arrival = telling;',
    put: '',
    tests: readerships,
  },
  {
    name: 'streams: an old text is passed on, however late',
    file: 'src/features/changes/readership.ts',
    find: 'performance.now() + maxAge',
    put: 'Infinity',
    tests: readerships,
  },
  {
    name: 'streams: a text is passed on to all in one turn',
    file: 'src/features/changes/readership.ts',
    find: 'for (const seat of [...takeFirst(group.seats, together)]) seat.give(given);',
    put: 'for (const seat of [...group.seats]) seat.give(given);',
    tests: readerships,
  },
];
