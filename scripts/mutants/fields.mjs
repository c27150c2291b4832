// Planted faults of the rules of fields (docs/contract.md §14.6).
const wire = ['test/both/fields/rules'];
const twins = ['test/both/fields/twins'];

/** @type {import('./index.d.mts').Mutant[]} */
export const fieldMutants = [
  {
    name: 'fields: an empty rule for reading lets everybody read',
    in: 'decideField',
    find: 'rules.read === undefined',
    put: 'rules.read === undefined || rules.read.length === 0',
    tests: wire,
  },
  {
    name: 'fields: the keys of members match with a customer’s session',
    in: 'ruleSubject',
    find: "new Set(['*', 'users', ...roles])",
    put: "new Set(['*', 'users', ...roles, 'members'])",
    tests: wire,
  },
  {
    name: 'fields: a preview shows what its caller may not read',
    in: 'narrower',
    find: 'isReadable: one.isReadable && other.isReadable',
    put: 'isReadable: one.isReadable',
    tests: wire,
  },
  {
    name: 'fields: a rule without write lets those write who do not read',
    in: 'decideWrite',
    find: "return isReadable ? 'all' : 'none';",
    put: "return 'all';",
    tests: wire,
  },
  {
    name: 'fields: owners write in the entries of others',
    in: 'decideSent',
    find: "(writable === 'own' && writing.isOwn)",
    put: "writable === 'own'",
    tests: wire,
  },
  {
    name: 'fields: null clears a value that the caller may not read',
    in: 'decideSent',
    find: 'isNone(value)',
    put: 'value === undefined',
    tests: wire,
  },
  {
    name: 'fields: a value that may not be changed is refused though it is the same',
    in: 'isAsRead',
    find: 'result.success',
    put: '!result.success',
    tests: wire,
  },
  {
    name: 'fields: the version tells whether a guess at a hidden value was right',
    in: 'updateEntry',
    find: '!sendsUnreadable(payload, channel)',
    put: 'true',
    tests: wire,
  },
  {
    name: 'fields: a search finds by hidden words',
    in: 'listTexts',
    find: 'read === undefined',
    put: 'true',
    tests: wire,
  },
  {
    name: 'fields: the size of hidden values decides on the limit of answers',
    in: 'readableValues',
    find: 'size: sizeOf(data, kept)',
    put: 'size: Prisma.sql`e.size`',
    tests: twins,
  },
  {
    name: 'fields: the answer to a write shows hidden values',
    in: 'presentEntryFields',
    find: 'unreadable.length === 0',
    put: 'true',
    tests: wire,
  },
  {
    name: 'fields: callers with other roles share the description of a channel',
    in: 'matchedKeys',
    find: 'subject.keys.has(key)',
    put: "key === '*'",
    tests: wire,
  },
  {
    name: 'fields: a merge shows a value that the caller may not read',
    in: 'refuseBlindMerge',
    find: 'blind !== undefined',
    put: "blind === ''",
    tests: wire,
  },
  {
    name: 'fields: a role that a rule names is deleted',
    in: 'refuseNamedRole',
    find: 'channel === undefined',
    put: 'channel !== null',
    tests: wire,
  },
  {
    name: 'fields: a member gives a role that reads hidden fields without having it',
    in: 'findLackingRole',
    find: "hasSiteRight(member, 'channels')",
    put: "hasSiteRight(member, 'members')",
    tests: wire,
  },
  {
    name: 'fields: a channel without fields shows hidden values unasked',
    in: 'refuseToUncover',
    find: 'hidden.length === 0',
    put: 'hidden.length < 2',
    tests: wire,
  },
];
