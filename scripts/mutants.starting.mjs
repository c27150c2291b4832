// The faults that `npm run mutate` plants into the start of a service and into the commands over HTTP: tokens in logs, words that
// open what they should not, and patience with nobody; and into what makes the database's functions.

// A process runs dist/, which is not built anew for a fault: these tests call what it does.
const made = ['test/both/cli/demo'];
const printed = ['test/pure/unit/announcement'];
const configured = ['test/pure/unit/config'];
const functions = ['test/both/db/functions'];

/** @type {import('./mutants.mjs').Mutant[]} */
export const startingMutants = [
  {
    name: 'starting: the tokens of the demo are printed to a log',
    file: 'src/cli/demo.ts',
    find: 'if (asked || isTerminal) return createDemo(prisma);',
    put: 'return createDemo(prisma);',
    tests: made,
    ci: true,
  },
  {
    name: 'starting: tokens that nobody is shown are made all the same',
    file: 'src/cli/demo.ts',
    find: 'const made = await createDemoSite(prisma, null);',
    put: 'const made = await createDemo(prisma);',
    tests: made,
  },
  {
    name: 'starting: the first start prints a text into a log',
    file: 'src/cli/announcement.ts',
    find: 'text: isTerminal ? textOf(start) :',
    put: 'text: isTerminal || !isTerminal ? textOf(start) :',
    tests: printed,
  },
  {
    name: 'starting: every word is a NODE_ENV, and those that are no production open the pages',
    file: 'src/configVariables.ts',
    find: "NODE_ENV: oneOf('development', 'test', 'production')",
    put: 'NODE_ENV: z.string()',
    tests: configured,
  },
  {
    name: 'starting: DEMO by itself asks for the tokens',
    file: 'src/config.ts',
    find: "demoTokens: values.DEMO === 'on',",
    put: "demoTokens: values.DEMO !== 'off',",
    tests: configured,
  },
  {
    name: 'tokens: those of an imported site count as valid',
    file: 'src/resolvers/sites/import/store.ts',
    find: 'hash: unknownSecret(noHashLength),',
    put: 'hash: unknownSecret(),',
    tests: ['test/both/moving/site'],
  },
  {
    name: 'websocket: the handshake is answered as another request',
    file: 'src/app.ts',
    find: 'refuseWebSocket(request);',
    put: '',
    tests: ['test/once/security/advisories.graphql'],
  },
  {
    name: 'filters: brackets with an operator are the name of a member',
    file: 'src/inputs/comparison.ts',
    find: 'const isBracketed = declared.size === 0 && hasBracketedOperator(name);',
    put: 'const isBracketed = declared.size > 0 && hasBracketedOperator(name);',
    tests: ['test/once/contract/mistyped'],
  },
  {
    name: 'filters: a wrong operator tells of a private field',
    file: 'src/inputs/wrongOperator.ts',
    find: 'const field = comparableField(name, channel, mayReadPrivate);',
    put: 'const field = comparableField(name, channel, mayReadPrivate || true);',
    tests: ['test/once/contract/mistyped'],
  },
  {
    name: 'commands: a service that was never there is waited for',
    file: 'src/cli/transfer/apiClient.ts',
    find: 'const allowed = this.#wasThere ? patience : Math.min(patience, firstPatienceMilliseconds);',
    put: 'const allowed = Math.max(patience, firstPatienceMilliseconds);',
    tests: ['test/pure/unit/apiClient'],
  },
  {
    name: 'functions: a function was changed in a migration alone, or in its file alone',
    file: 'prisma/functions/entryway_hold_channel.sql',
    find: ' FOR SHARE;',
    put: ';',
    tests: functions,
    ci: true,
  },
  {
    name: 'functions: a migration leaves out the functions that have no file any more',
    file: 'scripts/functions.mjs',
    find: "...find('FUNCTION', isDropped).map(({ signature }) => `DROP FUNCTION ${signature};`),",
    put: '',
    tests: functions,
  },
  {
    name: 'functions: a migration changes a type under processes of the release before',
    file: 'scripts/functions.mjs',
    find: 'if (changedTypes.length > 0) {',
    put: 'if (changedTypes.length > 9) {',
    tests: functions,
  },
];
