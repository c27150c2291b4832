// The faults that `npm run mutate` plants into what the console rests on: messages of fields for people, what it tells of saves, of the
// connection and of rights, and how a token gets into another tab.

const saving = ['test/once/console/saving'];
const small = ['test/once/console/small'];
const tabs = ['test/once/console/tabs'];
const rights = ['test/once/contract/rights'];
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
    file: 'src/management/channels/update.ts',
    find: '{ ...before, fields: compiledFields(before).definitions }',
    put: '{ ...before }',
    tests: messages,
  },
  {
    name: 'console: who may do what is told without the access list of the entry',
    file: 'src/features/explain/rights.ts',
    find: 'explainAccess(context.viewer, channelRules(channel), row);',
    put: 'explainAccess(context.viewer, channelRules(channel), { ...row, acl: {} });',
    tests: rights,
  },
  {
    name: 'console: rights tell that there is a channel',
    file: 'src/features/explain/rights.ts',
    find: '    if (!isKnown(channel, context.caller)) throwNoSuchChannel();\n    return',
    put: '    return',
    tests: rights,
    ci: true,
  },
  {
    name: 'console: rights on an entry that the caller could not fetch tell that there is its channel',
    file: 'src/features/explain/rights.ts',
    find: '  if (row === null && !isKnown(channel, context.caller)) throwNoSuchChannel();\n',
    put: '',
    tests: rights,
  },
  {
    name: 'console: a save waits for the connection, and is done later by itself',
    file: 'console/app/shell/session.tsx',
    find: "mutations: { networkMode: 'always' },",
    put: 'mutations: {},',
    tests: saving,
  },
  {
    name: 'console: a refused save leaves the eye where it is',
    file: 'console/app/entry/Editor.tsx',
    find: '      showWrong(form.current);\n',
    put: '',
    tests: saving,
  },
  {
    name: 'console: the tags of HTML stand in lists',
    file: 'console/app/entries/columns.tsx',
    find: 'plainText(value)',
    put: 'showValue(value)',
    tests: small,
  },
  {
    name: 'console: other tabs stay signed in',
    file: 'console/shared/credentials.ts',
    find: "if (token !== '') tellToForget(token);",
    put: '',
    tests: tabs,
  },
  {
    name: 'console: a new tab takes the token of any other one',
    file: 'console/shared/handOver.ts',
    find: 'other.used - one.used',
    put: 'one.used - other.used',
    tests: tabs,
  },
];
