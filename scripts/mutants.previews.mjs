// Faults in explanations and previews: see mutants.mjs.

/** @type {import('./mutants.d.mts').Mutant[]} */
export const previewMutants = [
  {
    name: 'preview: any caller may read as somebody else',
    file: 'src/resolvers/sight.ts',
    find: 'if (!previewers.includes(caller.kind)) fail(',
    put: "if (!previewers.includes(caller.kind) && caller.kind === 'operator') fail(",
    tests: ['test/both/rest/preview.test'],
    ci: true,
  },
  {
    name: 'preview: a user token reads as a master token',
    file: 'src/resolvers/sight.ts',
    find: 'if (mayReadUnchecked(asked, isChecked) && !mayReadUnchecked(caller, useAcl)) {',
    put: 'if (mayReadUnchecked(asked, isChecked) && useAcl) {',
    tests: ['test/once/graphql/preview'],
  },
  {
    name: 'preview: the customer keeps their roles whatever is given',
    file: 'src/resolvers/sight.ts',
    find: 'return { id, roles: roles ?? found.roles };',
    put: 'return { id, roles: found.roles };',
    tests: ['test/once/graphql/preview'],
  },
  {
    name: 'preview: the time is lost',
    file: 'src/rules/callers.ts',
    find: 'return at === null ? viewer : { ...viewer, now: at, at };',
    put: 'return at === null ? viewer : { ...viewer, at };',
    tests: ['test/both/rest/preview.test', 'test/once/graphql/preview'],
  },
  {
    name: 'preview: references are followed as the caller itself',
    file: 'src/resolvers/perform.ts',
    find: '(await renewSight(given, asked, now)).viewer;',
    put: '(await renewSight(given, { ...asked, preview: null }, now)).viewer;',
    tests: ['test/both/rest/preview.test'],
  },
  {
    name: 'preview: totals at two times are one',
    file: 'src/entries/sharedCounts.ts',
    find: 'writes, subject, audience, at, filter,',
    put: 'writes, subject, audience, filter,',
    tests: ['test/pure/unit/sharedCounts', 'test/both/rest/preview.test'],
  },
  {
    name: 'preview: a cursor holds for any actor',
    file: 'src/resolvers/entries/list.ts',
    find: ', ...(preview && { preview }) };',
    put: ', ...(preview && {}) };',
    tests: ['test/both/rest/preview.test'],
  },
  {
    name: 'explain: a denial of * that has no effect decides',
    file: 'src/rules/access.ts',
    find: 'denying.includes(longActorKey(key))',
    put: "key !== '' && denying.length > 0",
    tests: ['test/pure/rules', 'test/both/contract/visibility'],
  },
  {
    name: 'explain: hidden since and until are mixed up',
    file: 'src/rules/publication.ts',
    find: 'return { visible: false, since: null, until: publishAt };',
    put: 'return { visible: false, since: publishAt, until: null };',
    tests: ['test/both/rest/explain', 'test/pure/rules/publication'],
  },
  {
    name: 'acl preview: entries that stay hidden count as appearing',
    file: 'src/entries/scopePreview.ts',
    find: '${seenAfter} AND NOT ${seenBefore} AS appears',
    put: 'NOT ${seenBefore} AS appears',
    tests: ['test/both/rest/aclPreview'],
  },
  {
    name: 'acl preview: a user token is told titles of hidden entries',
    file: 'src/resolvers/channels/previewAcl.ts',
    find: 'await renewViewer(), ids',
    put: "{ ...(await renewViewer()), subject: { is: 'unchecked' } }, ids",
    tests: ['test/both/rest/aclPreview'],
  },
];
