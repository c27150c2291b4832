// Faults in lists, filters, searches, references, bulk requests and their keys: see mutants.mjs.

/** @type {import('./mutants.d.mts').Mutant[]} */
export const queryMutants = [
  // Lists
  {
    name: 'list: the total counts what the caller may not see',
    file: 'src/resolvers/entries/list.ts',
    find: 'const match = { ...list, viewer: await context.renewViewer() };',
    put: "const match = { ...list, viewer: { ...list.viewer, subject: { is: 'unchecked' }, audience: 'management' } as const };",
    tests: ['test/both/rest/entries.list.test', 'test/both/contract/visibility'],
  },
  {
    name: 'list: a count leaves publication out',
    file: 'src/resolvers/entries/count.ts',
    find: 'db.entry.countVisible(match,',
    put: "db.entry.countVisible({ ...match, viewer: { ...match.viewer, audience: 'management' } },",
    tests: ['test/both/rest/publication', 'test/both/rest/access.read'],
  },
  {
    name: 'list: a cursor holds for any filter',
    file: 'src/resolvers/entries/list.ts',
    find: 'channel: match.channel.uid, filter, search, sort, ordered };',
    put: 'channel: match.channel.uid, search, sort, ordered };',
    tests: ['test/once/hostile/lists.cursors'],
  },
  {
    name: 'list: a cursor holds for any search',
    file: 'src/resolvers/entries/list.ts',
    find: 'channel: match.channel.uid, filter, search, sort, ordered };',
    put: 'channel: match.channel.uid, filter, sort, ordered };',
    tests: ['test/once/hostile/lists.cursors'],
  },
  {
    name: 'list: a cursor that names a hidden entry finds its place',
    file: 'src/entries/read.ts',
    find: "WHERE ${visibleEntries(channel, viewer)} AND ${hasName({ by: 'id', value: id })} LIMIT 1`;\n  return rows[0]?.position",
    put: "WHERE ${channelEntries(channel)} AND ${hasName({ by: 'id', value: id })} LIMIT 1`;\n  return rows[0]?.position",
    tests: ['test/both/lists/longTexts'],
  },
  {
    name: 'list: a cursor holds the place of a row that has moved',
    file: 'src/inputs/entryCursor.ts',
    find: 'return shortDigest(position) === digest;',
    put: 'return position.length > 0 && digest.length > 0;',
    tests: ['test/both/lists/longTexts'],
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
    file: 'src/entries/comparable.ts',
    find: "return readBy === 'privileged' && !mayReadPrivate ? null : {",
    put: 'void readBy;\n    return {',
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
    file: 'src/inputs/operand.ts',
    find: 'if (!Array.isArray(operand)) fail(',
    put: 'if (typeof operand === "object" && operand !== null && "length" in operand && !Array.isArray(operand)) return Array.from(operand as ArrayLike<unknown>); if (!Array.isArray(operand)) fail(',
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
    file: 'src/entries/read.ts',
    find: '    visibleEntries(channel, viewer),\n    filterSql(',
    put: "    visibleEntries(channel, search === null ? viewer : { ...viewer, subject: { is: 'unchecked' }, audience: 'management' }),\n    filterSql(",
    tests: ['test/once/security/advisories.oracles'],
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
    file: 'src/entries/read.ts',
    find: 'WHERE ${visibleEntries(channel, viewer)} AND e.id = ANY(${[...ids]}::uuid[]) LIMIT',
    put: 'WHERE ${channelEntries(channel)} AND (${visibleEntries(channel, viewer)} OR NOT is_whole) AND e.id = ANY(${[...ids]}::uuid[]) LIMIT',
    tests: ['test/both/rest/references', 'test/both/rest/include'],
  },
  {
    name: "references: include leaves the target's rule out",
    file: 'src/entries/read.ts',
    find: 'WHERE ${visibleEntries(channel, viewer)} AND e.id = ANY(${[...ids]}::uuid[]) LIMIT',
    put: 'WHERE ${channelEntries(channel)} AND (${visibleEntries(channel, viewer)} OR is_whole) AND e.id = ANY(${[...ids]}::uuid[]) LIMIT',
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
    file: 'src/resolvers/entries/createMany.ts',
    find: 'if (namesEntries(payload, channel)) break;',
    put: 'void namesEntries;',
    tests: ['test/both/rest/bulk.creates'],
  },
  {
    name: 'bulk: its operations are one to the rate limits',
    file: 'src/resolvers/entries/bulk.ts',
    find: 'countOperations: ({ operations }) => operations.length,',
    put: 'countOperations: () => 1,',
    tests: ['test/both/graphql/bulk', 'test/once/rest/rateLimits'],
  },
  // Keys and unique values
  {
    name: 'key: an answer is given to another token',
    file: 'src/resolvers/idempotency.ts',
    find: 'const at: StoredResponseKey = { site, holder, key };',
    put: 'const at: StoredResponseKey = { site, holder: (void holder, new Uint8Array(32)), key };',
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
    find: 'CASE WHEN r."unique" THEN ${digestSql(Prisma.sql`r.value`)} END AS digest',
    put: 'CASE WHEN FALSE THEN ${digestSql(Prisma.sql`r.value`)} END AS digest',
    tests: ['test/both/graphql/fields.unique'],
  },
];
