// Faults in lists, filters, searches, references, bulk requests and their keys: see mutants.mjs.

/** @type {import('./mutants.d.mts').Mutant[]} */
export const queryMutants = [
  // Lists
  {
    name: 'list: the total counts what the caller may not see',
    file: 'src/resolvers/entries/read.ts',
    find: 'countEntries(context.db, conditionOf(null), limit));',
    put: "countEntries(context.db, allOf([visibleEntries(channel, { ...scope.viewer, subject: { is: 'unchecked' }, audience: 'management' })]), limit));",
    tests: ['test/both/rest/entries.list.test', 'test/both/contract/visibility'],
  },
  {
    name: 'list: a count leaves publication out',
    file: 'src/resolvers/entries/read.ts',
    find: '  const condition = conditionOf(null);\n  const limit =',
    put: "  const { channel, scope } = await matching(args, context);\n  void conditionOf;\n  const condition = visibleEntries(channel, { ...scope.viewer, audience: 'management' });\n  const limit =",
    tests: ['test/both/rest/publication', 'test/both/rest/access.read'],
  },
  {
    name: 'list: a cursor holds for any filter',
    file: 'src/resolvers/entries/read.ts',
    find: 'channel: channel.uid, filter, search, ...sorted };',
    put: 'channel: channel.uid, search, ...sorted };',
    tests: ['test/once/hostile/lists.cursors'],
  },
  {
    name: 'list: a cursor holds for any search',
    file: 'src/resolvers/entries/read.ts',
    find: 'channel: channel.uid, filter, search, ...sorted };',
    put: 'channel: channel.uid, filter, ...sorted };',
    tests: ['test/once/hostile/lists.cursors'],
  },
  // Filters
  {
    name: 'filter: not is no complement where a value is absent',
    file: 'src/entries/filterSql.ts',
    find: 'return Prisma.sql`(${compile(predicate.not, { ...position, isNegated: true })}) IS NOT TRUE`;',
    put: 'return Prisma.sql`NOT (${compile(predicate.not, { ...position, isNegated: true })})`;',
    tests: ['test/both/lists', 'test/once/hostile/lists.cursors'],
  },
  {
    name: 'filter: public tokens compare by the owner and the access list',
    file: 'src/fields/comparable.ts',
    find: 'if (privateFields.includes(name) && !mayReadPrivate) return null;',
    put: '',
    tests: ['test/once/doors/arguments.fields'],
    ci: true,
  },
  {
    name: 'filter: signs of patterns are no letters',
    file: 'src/entries/filterSql.ts',
    find: 'return Prisma.sql`strpos(${folded}, ${sought}) > 0`;',
    put: "return Prisma.sql`${folded} LIKE '%' || ${sought} || '%'`;",
    tests: ['test/once/hostile/filters'],
  },
  {
    name: 'filter: an object with a length passes for a list',
    file: 'src/inputs/comparison.ts',
    find: 'if (!Array.isArray(value)) fail(',
    put: 'if (typeof value === "object" && value !== null && "length" in value && !Array.isArray(value)) return Array.from(value as ArrayLike<unknown>); if (!Array.isArray(value)) fail(',
    tests: ['test/once/hostile/filters'],
  },
  {
    name: 'filter: a reference leads to entries that are hidden',
    file: 'src/entries/filterSql.ts',
    find: 'WHERE ${visibleEntries(target, viewer)} AND',
    put: "WHERE ${visibleEntries(target, { ...viewer, subject: { is: 'unchecked' } })} AND",
    tests: ['test/both/rest/hops', 'test/once/security/oracles'],
    ci: true,
  },
  // Searches
  {
    name: 'search: finds what the caller may not see',
    file: 'src/resolvers/entries/read.ts',
    find: '      visibleEntries(channel, viewer),\n      filterOf(',
    put: "      visibleEntries(channel, sought === null ? viewer : { ...viewer, subject: { is: 'unchecked' }, audience: 'management' }),\n      filterOf(",
    tests: ['test/both/graphql/search', 'test/once/security/advisories.oracles'],
  },
  {
    name: 'search: a field that was removed is searched',
    file: 'src/entries/rebuilds.ts',
    find: 'searched: searchedText(data, channel),',
    put: 'searched: searchedText({ ...data, ...kept }, { ...channel, fields: [] }),',
    tests: ['test/both/rest/search'],
  },
  // References
  {
    name: 'references: stubs stand for what is hidden',
    file: 'src/entries/referenceSql.ts',
    find: 'WHERE ${visibleEntries(channel, viewer)} AND e.id = ANY(${[...ids]}::uuid[]) LIMIT',
    put: 'WHERE ${entriesOf(channel)} AND (${visibleEntries(channel, viewer)} OR NOT (${isWhole})) AND e.id = ANY(${[...ids]}::uuid[]) LIMIT',
    tests: ['test/both/rest/references', 'test/both/rest/include'],
  },
  {
    name: "references: include leaves the target's rule out",
    file: 'src/entries/referenceSql.ts',
    find: 'WHERE ${visibleEntries(channel, viewer)} AND e.id = ANY(${[...ids]}::uuid[]) LIMIT',
    put: 'WHERE ${entriesOf(channel)} AND (${visibleEntries(channel, viewer)} OR ${isWhole}) AND e.id = ANY(${[...ids]}::uuid[]) LIMIT',
    tests: ['test/both/rest/include', 'test/both/graphql/references'],
    ci: true,
  },
  {
    name: 'references: an update drops those that its writer does not see',
    file: 'src/resolvers/references/resolve.ts',
    find: '[...sent, ...held.filter((id) => hidden.has(id))];',
    put: '(void hidden, [...sent]);',
    tests: ['test/both/rest/references'],
  },
  // Bulk requests
  {
    name: 'bulk: what is atomic is not undone',
    file: 'src/database/transaction.ts',
    find: 'if (!isKept(result)) await',
    put: 'if (isKept(result)) void 0; else if (result === undefined) await',
    tests: ['test/both/rest/bulk', 'test/both/graphql/bulk'],
  },
  {
    name: 'bulk: an entry can not refer to one that is created before it',
    file: 'src/resolvers/entries/create.ts',
    find: 'if (refers(payload, channel)) break;',
    put: 'void refers;',
    tests: ['test/both/rest/bulk.creates'],
  },
  {
    name: 'bulk: its operations are one to the rate limits',
    file: 'src/rest/routes.ts',
    find: 'operations: ({ operations }) => operations.length,',
    put: 'operations: () => 1,',
    tests: ['test/both/graphql/bulk', 'test/once/rest/rateLimits'],
  },
  // Keys and unique values
  {
    name: 'key: an answer is given to another token',
    file: 'src/resolvers/idempotency.ts',
    find: 'const at: KeyOf = { site, holder, key };',
    put: 'const at: KeyOf = { site, holder: (void holder, new Uint8Array(32)), key };',
    tests: ['test/both/rest/idempotency'],
    ci: true,
  },
  {
    name: 'key: another request gets the first answer',
    file: 'src/resolvers/idempotency.ts',
    find: 'return Buffer.from(kept.request).equals(digest) ? kept : refuseOther();',
    put: 'void refuseOther; void digest; return kept;',
    tests: ['test/both/rest/idempotency'],
  },
  {
    name: 'unique: nothing is held so',
    file: 'src/entries/indexSql.ts',
    find: 'CASE WHEN r."unique" THEN ${digestOf(Prisma.sql`r.value`)} END AS digest',
    put: 'CASE WHEN FALSE THEN ${digestOf(Prisma.sql`r.value`)} END AS digest',
    tests: ['test/both/graphql/fields.unique'],
  },
];
