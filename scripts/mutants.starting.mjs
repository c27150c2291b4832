// The faults that `npm run mutate` plants into the start of a service and into the commands over HTTP: tokens in logs, words that
// open what they should not, and patience with nobody.

// A process runs dist/, which is not built anew for a fault: these tests call what it does.
const made = ['test/both/cli/demo'];
const printed = ['test/pure/unit/announcement'];
const configured = ['test/pure/unit/config'];

/** @type {import('./mutants.mjs').Mutant[]} */
export const startingMutants = [
  {
    name: 'starting: the tokens of the demo are printed to a log',
    file: 'src/cli/demo/demo.ts',
    find: 'if (asked || isTerminal) return createDemo(prisma);',
    put: 'return createDemo(prisma);',
    tests: made,
    ci: true,
  },
  {
    name: 'starting: tokens that nobody is shown are made all the same',
    file: 'src/cli/demo/demo.ts',
    find: 'const made = await createDemoSite(prisma, null);',
    put: 'const made = await createDemo(prisma);',
    tests: made,
  },
  {
    name: 'starting: the first start prints a text into a log',
    file: 'src/cli/serve/announcement.ts',
    find: 'text: isTerminal ? textOf(start) :',
    put: 'text: isTerminal || !isTerminal ? textOf(start) :',
    tests: printed,
  },
  {
    name: 'starting: every word is a NODE_ENV, and those that are no production open the pages',
    file: 'src/config/variables.ts',
    find: "NODE_ENV: oneOf('development', 'test', 'production')",
    put: 'NODE_ENV: z.string()',
    tests: configured,
  },
  {
    name: 'starting: DEMO by itself asks for the tokens',
    file: 'src/config/config.ts',
    find: "demoTokens: values.DEMO === 'on',",
    put: "demoTokens: values.DEMO !== 'off',",
    tests: configured,
  },
  {
    name: 'tokens: those of an imported site count as valid',
    file: 'src/features/moving/import/store.ts',
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
    file: 'src/inputs/lists/comparison.ts',
    find: 'const isBracketed = declared.size === 0 && hasBracketedOperator(name);',
    put: 'const isBracketed = declared.size > 0 && hasBracketedOperator(name);',
    tests: ['test/once/contract/mistyped'],
  },
  {
    name: 'filters: a wrong operator tells of a private field',
    file: 'src/inputs/lists/wrongOperator.ts',
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
];
