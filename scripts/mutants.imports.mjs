// Faults of import, export and the files that commands write.

const cells = ['test/once/cli/import.cells'];
const links = ['test/once/cli/import.links'];
const outputs = ['test/once/cli/outputFiles'];

/** @type {import('./mutants.mjs').Mutant[]} */
export const importMutants = [
  {
    name: 'import: a number fits a cell that it does not print again',
    file: 'src/cli/transfer/columnTypes.ts',
    find: "return type === 'datetime' || formatCell(value, type, false) === cell;",
    put: 'return true;',
    tests: ['test/pure/unit/transfer.cells'],
  },
  {
    name: 'import: an object fits a cell whose members the database puts into another order',
    file: 'src/cli/transfer/columnTypes.ts',
    find: 'JSON.stringify(inStoredOrder(value)) === cell',
    put: 'JSON.stringify(value) === cell',
    tests: ['test/pure/unit/transfer.cells'],
  },
  {
    name: 'import: a time loses its microseconds',
    file: 'src/cli/transfer/columnTypes.ts',
    find: "if (type === 'datetime') return isExactTime(String(value));",
    put: "if (type === 'datetime') return true;",
    tests: ['test/pure/unit/transfer.cells'],
  },
  {
    name: 'import: an object is a title',
    file: 'src/cli/transfer/columnTypes.ts',
    find: "this.#hasObjects ||= typeof value === 'object';",
    put: '',
    tests: ['test/pure/unit/transfer.cells'],
  },
  {
    name: 'import: a column of lists with empty cells is a list of texts',
    file: 'src/cli/transfer/columnTypes.ts',
    find: "type !== 'strings' || !hasEmptyCells",
    put: "type !== 'strings' || hasEmptyCells !== null",
    tests: ['test/pure/unit/transfer.cells'],
  },
  {
    name: 'import: a channel is made of no rows',
    file: 'src/cli/transfer/inferChannel.ts',
    find: 'if (count === 0) refuseRows(id, unread);',
    put: '',
    tests: ['test/pure/unit/transfer.cells'],
  },
  {
    name: 'import: a channel is made of the rows that are UTF-8',
    file: 'src/cli/transfer/inferChannel.ts',
    find: 'if (row.reason === notUtf8) refuseRows(id, row);',
    put: '',
    tests: ['test/pure/unit/transfer.cells'],
  },
  {
    name: 'import: --upsert is checked once the channel is made',
    file: 'src/cli/transfer/fittingChannel.ts',
    find: '  checkUpsert(upsert, expandFields(plan.fields), channel);\n',
    put: '',
    tests: cells,
  },
  {
    name: 'import: of two separators that fit, one is taken',
    file: 'src/cli/transfer/dialect.ts',
    find: 'if (best.length > 1) throw new AmbiguousSeparator(best);',
    put: '',
    tests: ['test/pure/unit/transfer.cells'],
  },
  {
    name: 'import: a carriage return ends no line',
    file: 'src/cli/transfer/dialect.ts',
    find: "?.[1] === '\\r' ? '\\r' : '\\n'",
    put: "?.[1] === '\\r' ? '\\n' : '\\n'",
    tests: ['test/pure/unit/transfer.cells'],
  },
  {
    name: 'import: of a member that stands twice, the last one counts',
    file: 'src/cli/transfer/repeatedMembers.ts',
    find: 'if (names?.has(name) === true) yield { name, element };',
    put: '',
    tests: ['test/pure/unit/transfer.cells'],
  },
  {
    name: 'import: references among rows are sent with their rows',
    file: 'src/cli/transfer/rowLinks.ts',
    find: 'if (later.length === 0) return',
    put: 'if (later.length >= 0) return',
    tests: links,
  },
  {
    name: 'import: a reference that can not be set is not told of',
    file: 'src/cli/transfer/passes.ts',
    find: 'state.counts[before] -= 1;\n          state.counts.failed += 1;',
    put: '',
    tests: links,
  },
  {
    name: 'output: a pipe is replaced',
    file: 'src/cli/outputFile.ts',
    find: 'found === null || found.isFile()',
    put: 'found === null || !found.isDirectory()',
    tests: outputs,
  },
  {
    name: 'output: a file gets the mode of a new one',
    file: 'src/cli/outputFile.ts',
    find: 'if (old !== null) await keepOwnerAndMode(draft, old, isPrivate);',
    put: '',
    tests: outputs,
  },
  {
    name: 'output: a backup keeps the rights of others',
    file: 'src/cli/outputFile.ts',
    find: 'isPrivate ? 0o077 :',
    put: '',
    tests: outputs,
  },
  {
    name: 'output: a link of another user is followed',
    file: 'src/cli/outputFile.ts',
    find: '    await assertTrusted(path, directory, found);\n',
    put: '',
    tests: outputs,
  },
  {
    name: 'references: an empty list of an optional field has too few items',
    file: 'src/resolvers/references/resolve.ts',
    find: 'const isNone = ids.size === 0 && !definition.required;',
    put: 'const isNone = false;',
    tests: ['test/both/rest/references'],
  },
  {
    name: 'references: what is read is refused for its bounds',
    file: 'src/resolvers/references/resolve.ts',
    find: 'if (isNew) return false;',
    put: 'return false;',
    tests: ['test/both/rest/references'],
  },
  {
    name: 'site export: early years are taken for others',
    file: 'src/database/pgliteStore.ts',
    find: "text.replace(' ', 'T').replace(",
    put: 'text.replace(',
    tests: ['test/both/moving/site'],
  },
];
