// The faults that `npm run mutate` plants into what HTTP and GraphQL announce: merge patches, preconditions of writes, absent
// variables, and the forms of texts.

const conditions = ['test/both/rest/conditional.writes'];
const merges = ['test/pure/unit/mergePatch', 'test/both/rest/mergePatch'];

/** @type {import('./mutants.mjs').Mutant[]} */
export const httpMutants = [
  {
    name: 'merge patch: a patched access list loses what it does not name',
    file: 'src/inputs/mergePatch.ts',
    find: 'applyMergePatch(acl, Object.fromEntries',
    put: 'applyMergePatch({}, Object.fromEntries',
    tests: merges,
    ci: true,
  },
  {
    name: 'merge patch: a nested null is stored',
    file: 'src/inputs/mergePatch.ts',
    find: 'if (value === null) merged.delete(name);',
    put: 'if (value === null) merged.set(name, null);',
    tests: merges,
  },
  {
    name: 'merge patch: whoever may update reads what they merge into',
    file: 'src/resolvers/entries/update.ts',
    find: 'if (maySee(viewer, channelRules(channel), before) || isOwner(caller.customer, before)) return;',
    put: 'return;',
    tests: merges,
  },
  {
    name: 'merge patch: JSON is merged, too',
    file: 'src/rest/route.ts',
    find: "request.method === 'PATCH' && readMediaType(request) === mergePatchType",
    put: "request.method === 'PATCH'",
    tests: merges,
  },
  {
    name: 'merge patch: an entry grows beyond a body',
    file: 'src/inputs/mergePatch.ts',
    find: 'if (Buffer.byteLength(JSON.stringify(values)) > limits.body) {',
    put: 'if (limits.body < 0) {',
    tests: merges,
  },
  {
    name: 'merge patch: the scope of a channel is removed without a word',
    file: 'src/inputs/channel.ts',
    find: "if ('merges' in sent && sent.merges) refuseRemovedScopes(acl ?? {});",
    put: '',
    tests: merges,
  },
  {
    name: 'graphql: a member whose variable is absent is null',
    file: 'src/graphql/scalars.ts',
    find: 'members.filter(([, value]) => value !== undefined)',
    put: 'members.map(([name, value]) => [name, value ?? null])',
    tests: ['test/once/graphql/absentVariables'],
  },
  {
    name: 'graphql: an item whose variable is absent is undefined',
    file: 'src/graphql/scalars.ts',
    find: 'readLiteral(item, variables) ?? null',
    put: 'readLiteral(item, variables)',
    tests: ['test/once/graphql/absentVariables'],
  },
  {
    name: 'preconditions: If-None-Match does not hold up a write of an entry',
    file: 'src/inputs/preconditions.ts',
    find: "&& otherThan !== 'any' && !otherThan.includes(version);",
    put: ';',
    tests: conditions,
  },
  {
    name: 'preconditions: If-None-Match compares strongly',
    file: 'src/inputs/preconditions.ts',
    find: "notMatching.map((each) => each.replace(/^W\\//, '')).flatMap(versionOf)",
    put: 'notMatching.flatMap(versionOf)',
    tests: conditions,
  },
  {
    name: 'preconditions: management regards none',
    file: 'src/rest/conditions.ts',
    find: 'if (!changesWhatIsThere(method) || allowsUntagged(',
    put: "if (method !== 'none' || allowsUntagged(",
    tests: conditions,
  },
  {
    name: 'filters: each value of a list looks at the entry by itself',
    file: 'src/entries/filterSql.ts',
    find: 'if (together.length < 2)',
    put: 'if (together.length >= 0)',
    tests: ['test/pure/unit/filterSql'],
  },
  {
    name: 'filters: objects beside other values are left out',
    file: 'src/entries/filterSql.ts',
    find: '...others.map((value) => fieldEquals(test, value, position)),',
    put: '',
    tests: ['test/pure/unit/filterSql'],
  },
  {
    name: 'texts: their limits count units of UTF-16',
    file: 'src/fields/text.ts',
    find: 'text.length > most && (text.length > most * 2 || countCharacters(text) > most)',
    put: 'text.length > most',
    tests: ['test/both/rest/characters'],
  },
  {
    name: 'texts: those of twice the limit in UTF-16 pass',
    file: 'src/fields/text.ts',
    find: '(text.length > most * 2 || countCharacters(text) > most)',
    put: 'countCharacters(text) > most * 2',
    tests: ['test/both/rest/characters'],
  },
  {
    name: 'bodies: JSON that is no object is called no JSON',
    file: 'src/http/request.ts',
    find: "if (typeof value !== 'object' || value === null) fail('bad_request', 'The body must be a JSON object.');",
    put: "if (typeof value !== 'object' || value === null) fail('bad_request', 'The body is not JSON.');",
    tests: ['test/once/rest/bodies'],
  },
  {
    name: 'graphql: an empty name of an operation names none',
    file: 'src/graphql/router.ts',
    find: "body['operationName'] === '' ? withoutName(body) : body",
    put: "body['operationName'] === null ? withoutName(body) : body",
    tests: ['test/once/graphql/operationName'],
  },
];
