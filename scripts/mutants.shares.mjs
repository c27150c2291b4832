// Faults in what keeps a caller from taking what others need: memory, connections and look-ups.

/** @type {import('./mutants.mjs').Mutant[]} */
export const shareMutants = [
  {
    name: 'json: depth is not counted before the text is parsed',
    file: 'src/inputs/jsonText.ts',
    find: 'if (around.length > limits.depth + 1) refuseDepth(limits);',
    put: '',
    tests: ['test/pure/unit/jsonText'],
  },
  {
    name: 'json: an escaped quote ends a string',
    file: 'src/inputs/jsonText.ts',
    find: 'at += text[at] === backslash ? 2 : 1;',
    put: 'at += 1;',
    tests: ['test/pure/unit/jsonText'],
  },
  {
    name: 'json: two backslashes at the end of a long string escape its quote',
    file: 'src/inputs/jsonText.ts',
    find: 'if ((end - escapes) % 2 === 0) return end;',
    put: 'if (end === escapes) return end;',
    tests: ['test/pure/unit/jsonText'],
  },
  {
    name: 'json: items of arrays are not counted before the text is parsed',
    file: 'src/inputs/jsonText.ts',
    find: 'if (members === inArray) values += 1;',
    put: '',
    tests: ['test/pure/unit/jsonText'],
  },
  {
    name: 'json: variables in a URL are parsed whatever they hold',
    file: 'src/graphql/router.ts',
    find: "for (const name of ['variables', 'extensions']) {",
    put: "for (const name of ['query']) {",
    tests: ['test/once/rest/limits'],
  },
  {
    name: 'json: a body waits for no share of values',
    file: 'src/http/request.ts',
    find: 'await enterValues(values);',
    put: 'void enterValues;',
    tests: ['test/pure/unit/bodyReader'],
  },
  {
    name: 'json: a cursor of any size is parsed',
    file: 'src/inputs/cursor.ts',
    find: 'countJson(Buffer.from(text), jsonLimits);',
    put: '',
    tests: ['test/pure/unit/bodyReader'],
  },
  {
    name: 'unsent: the oldest answer is given up',
    file: 'src/http/unsent.ts',
    find: 'a.claim - b.claim || a.rank - b.rank || b.ofAddress - a.ofAddress || a.readAt - b.readAt',
    put: 'a.readAt - b.readAt',
    tests: ['test/pure/unit/unsent', 'test/once/process/unread'],
  },
  {
    name: 'unsent: nobody sees that a reader reads',
    file: 'src/http/unsent.ts',
    find: 'if (left < each.left) [each.readAt, each.hasRead] = [now, true];',
    put: '',
    tests: ['test/pure/unit/unsent'],
  },
  {
    name: 'unsent: an address that has most of it is protected by reading a little',
    file: 'src/http/unsent.ts',
    find: 'claim: ofAddress > maxUnsent / 2 ? 0 : 1',
    put: 'claim: 0',
    tests: ['test/pure/unit/unsent'],
  },
];
