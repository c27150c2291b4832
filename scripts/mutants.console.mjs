// The faults that `npm run mutate` plants into what the console rests on: messages of fields for people, what it tells of saves, of the
// connection and of rights, and how a token gets into another tab.

const messages = ['test/once/contract/fieldMessages'];

/** @type {import('./mutants.mjs').Mutant[]} */
export const consoleMutants = [
  {
    name: 'console: people are told the pattern of a field that has a message',
    file: 'src/fields/values.ts',
    find: "return message ?? `must match the ${type} field's pattern ${JSON.stringify(pattern)}`;",
    put: "return `must match the ${type} field's pattern ${JSON.stringify(pattern)}${message === null ? '' : ''}`;",
    tests: messages,
  },
  {
    name: 'console: a definition without a message is another one than the same with none',
    file: 'src/resolvers/channels/update.ts',
    find: '{ ...before, fields: compiledFields(before).definitions }',
    put: '{ ...before }',
    tests: messages,
  },
];
