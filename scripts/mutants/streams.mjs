// The faults of streams that share what is read for them (docs/contract.md §9.2).

const readings = ['test/pure/unit/readings'];
const readerships = ['test/pure/unit/readerships'];
const follow = ['test/pure/unit/follow'];

/** @type {import('./index.d.mts').Mutant[]} */
export const streamMutants = [
  {
    name: 'unsent: the texts that streams have still to be sent do not count',
    in: 'countUnsent',
    find: 'if (text !== null) changeReaders(text, 1);',
    put: '',
    tests: ['test/pure/unit/unsent'],
  },
  {
    name: 'unsent: streams that drip hold all of their texts',
    in: 'waitUntilRead',
    find: 'response, text',
    put: 'response, null',
    tests: ['test/once/process/drips'],
  },
  {
    name: 'streams: readers share whatever the roles of their customers',
    in: 'readingKey',
    find: 'writeCanonical(reading)',
    put: 'writeCanonical({ ...reading, caller: { ...reading.caller, customer: reading.caller.customer?.id } })',
    tests: readings,
    ci: true,
  },
  {
    name: 'streams: readers share whatever they asked for',
    in: 'readingKey',
    find: 'writeCanonical(reading)',
    put: 'writeCanonical({ ...reading, args: null })',
    tests: readings,
  },
  {
    name: 'streams: what cannot be compared is the same',
    in: 'writeCanonical',
    find: "throw new TypeError('Only plain data has a canonical text.');",
    put: "return '{}';",
    tests: readings,
  },
  {
    name: 'streams: sets are the same whatever they hold',
    in: 'writeCanonical',
    find: "`Set(${[...value].map(writeCanonical).sort().join(',')})`",
    put: "'Set()'",
    tests: readings,
  },
  {
    name: 'streams: rights are not looked at between a look and the reader who is told',
    in: 'followChanges',
    find: 'if (!isDeepStrictEqual(await renewCaller(context), membership.reading.caller)) continue;',
    put: '',
    tests: follow,
    ci: true,
  },
  {
    name: 'streams: a caller with other roles stays with those who have the old ones',
    in: 'joinAs',
    find: 'last !== null && isDeepStrictEqual(caller, last.reading.caller)',
    put: 'last !== null',
    tests: follow,
  },
  {
    name: 'streams: a reader to whom nothing is shown never hears of its new roles',
    in: 'Hold.check',
    find: 'if (this.#waitsAs !== null && !isDeepStrictEqual(caller, this.#waitsAs)) this.wake();',
    put: '',
    tests: ['test/pure/unit/streams'],
  },
  {
    name: 'streams: the rest of a page is sent to a reader whose rights have ended',
    in: 'whileHeld',
    find: 'if (hasEnded(held)) return;',
    put: '',
    tests: follow,
  },
  {
    name: 'streams: a change that comes during a look is missed',
    in: 'Readership.#move',
    find: 'more ? unpolled : wakes',
    put: 'more ? unpolled : this.#wakes',
    tests: readerships,
    ci: true,
  },
  {
    name: 'streams: each reader has a place of its own',
    in: 'Readership.#groupAt',
    find: 'this.#groups.get(position) ?? new Group<Written>(position, this.#options.limit)',
    put: 'new Group<Written>(position, this.#options.limit)',
    tests: readerships,
  },
  {
    name: 'streams: the first who are told begin the next look alone',
    in: 'Readership.#deliver',
    find: 'if (next.seats.size === 0) next.arrival = telling;',
    put: '',
    tests: readerships,
  },
  {
    name: 'streams: an old text is passed on, however late',
    in: 'Readership.#deliver',
    find: 'performance.now() + maxAge',
    put: 'Infinity',
    tests: readerships,
  },
  {
    name: 'streams: a text is passed on to all in one turn',
    in: 'Readership.#give',
    find: 'takeFirst(group.seats, together)',
    put: 'group.seats',
    tests: readerships,
  },
];
