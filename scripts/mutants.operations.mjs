// Faults in names that look alike (docs/contract.md §1.3), and in the sizes of files that are read (docs/contract.md §12.4, §12.5).

/** @type {import('./mutants.mjs').Mutant[]} */
export const operationMutants = [
  {
    name: 'names: characters that a font may leave out are allowed',
    file: 'src/inputs/visibleText.ts',
    find: String.raw`\p{Default_Ignorable_Code_Point}`,
    put: '',
    tests: ['test/pure/unit/inputs.management'],
  },
  {
    name: 'names: joiners are allowed',
    file: 'src/inputs/visibleText.ts',
    find: String.raw`const invisible = /[`,
    put: String.raw`const invisible = /(?![\u200c\u200d])[`,
    tests: ['test/pure/unit/inputs.management'],
  },
  {
    name: 'names: a no-break space is allowed',
    file: 'src/inputs/visibleText.ts',
    find: String.raw`|(?! )\p{Zs}`,
    put: '',
    tests: ['test/pure/unit/inputs.management'],
  },
  {
    name: 'names: a space at the end is allowed',
    file: 'src/inputs/visibleText.ts',
    find: '/^ | $| {2}/',
    put: '/^ | {2}/',
    tests: ['test/pure/unit/inputs.management'],
  },
  {
    name: 'names: keys of access lists are not looked at',
    file: 'src/inputs/acl.ts',
    find: "return findInvisible(long.slice(long.indexOf(':') + 1));",
    put: 'return long === key ? null : null;',
    tests: ['test/pure/unit/inputs.management'],
  },
  {
    name: 'restore: sizes of any form',
    file: 'src/cli/moving/tar.ts',
    find: String.raw`/^[0-7]{11}\0$/.test(digits)`,
    put: String.raw`/./s.test(digits)`,
    tests: ['test/pure/unit/backupFile'],
  },
  {
    name: 'restore: a file may be larger than the archive',
    file: 'src/cli/moving/backupFile.ts',
    find: '|| this.#all > this.#max',
    put: '',
    tests: ['test/pure/unit/backupFile'],
  },
  {
    name: 'restore: more than what is announced is written',
    file: 'src/cli/moving/backupFile.ts',
    find: 'this.#files > files || this.#bytes > bytes',
    put: 'this.#files > files && this.#bytes > bytes',
    tests: ['test/pure/unit/backupFile'],
  },
  {
    name: 'restore: something may follow the end',
    file: 'src/cli/moving/tar.ts',
    find: 'if (!(await source.isAtEnd()))',
    put: 'if ((await source.isAtEnd()) === null)',
    tests: ['test/pure/unit/backupFile'],
  },
  {
    name: 'site import: rows are read beyond their number',
    file: 'src/cli/moving/readSiteFile.ts',
    find: 'if (rows > header.counts[section])',
    put: 'if (rows < 0)',
    tests: ['test/pure/unit/siteFile'],
  },
];
