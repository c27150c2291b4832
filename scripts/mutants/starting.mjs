// The faults that `npm run mutate` plants into the start of a service and into the commands over HTTP: tokens in logs, words that
// open what they should not, and patience with nobody; and into what makes the database's functions.

// A process runs dist/, which is not built anew for a fault: these tests call what it does.
const made = ['test/both/cli/demo'];
const printed = ['test/pure/unit/announcement'];
const configured = ['test/pure/unit/config'];
const functions = ['test/both/db/functions'];

/** @type {import('./index.d.mts').Mutant[]} */
export const startingMutants = [
  {
    name: 'starting: the tokens of the demo are printed to a log',
    in: 'makeDemo',
    find: 'if (wantsTokens || isTerminal) return createDemo(prisma, signsIn);',
    put: 'return createDemo(prisma, signsIn);',
    tests: made,
    ci: true,
  },
  {
    name: 'starting: tokens that nobody is shown are made all the same',
    in: 'makeDemo',
    find: 'createDemoSite(prisma, null)',
    put: 'createDemo(prisma)',
    tests: made,
  },
  {
    name: 'starting: the first start prints a text into a log',
    in: 'announcement',
    find: 'text: isTerminal ? textOf(start) : JSON.stringify({ ...logLine(start), ...json })',
    put: 'text: isTerminal || !isTerminal ? textOf(start) : JSON.stringify({ ...logLine(start), ...json })',
    tests: printed,
  },
  {
    name: 'starting: every word is a NODE_ENV, and those that are no production open the pages',
    in: 'variables',
    find: "oneOf('development', 'test', 'production')",
    put: 'z.string()',
    tests: configured,
  },
  {
    name: 'starting: DEMO by itself asks for the tokens',
    in: 'readConfig',
    find: "demoTokens: values.DEMO === 'on'",
    put: "demoTokens: values.DEMO !== 'off'",
    tests: configured,
  },
  {
    name: 'tokens: those of an imported site count as valid',
    in: 'stores',
    find: 'noHashLength',
    put: '',
    tests: ['test/both/moving/site'],
  },
  {
    name: 'websocket: the handshake is answered as another request',
    in: 'createBegin',
    find: 'if (upgrade !== undefined) refuseWebSocket(upgrade);',
    put: '',
    tests: ['test/once/security/advisories.graphql'],
  },
  {
    name: 'filters: brackets with an operator are the name of a member',
    in: 'refuseLookAlike',
    find: 'isFree && hasBracketedOperator(name)',
    put: '!isFree && hasBracketedOperator(name)',
    tests: ['test/once/contract/mistyped'],
  },
  {
    name: 'filters: a wrong operator tells of a private field',
    in: 'wrongOperator.ts:operatorsOf',
    find: 'name, channel, mayReadPrivate',
    put: 'name, channel, mayReadPrivate || true',
    tests: ['test/once/contract/mistyped'],
  },
  {
    name: 'commands: a service that was never there is waited for',
    in: 'ApiClient.request',
    find: 'this.#wasThere ? patience : Math.min(patience, firstPatienceMilliseconds)',
    put: 'Math.max(patience, firstPatienceMilliseconds)',
    tests: ['test/pure/unit/apiClient'],
  },
  {
    name: 'functions: a function was changed in a migration alone, or in its file alone',
    sql: 'entryway_hold_channel',
    text: ' FOR SHARE;',
    put: ';',
    tests: functions,
    ci: true,
  },
  {
    name: 'functions: a migration leaves out the functions that have no file any more',
    in: 'migrationStatements',
    find: "...find('FUNCTION', isDropped).map(({ signature }) => `DROP FUNCTION ${signature};`),",
    put: '',
    tests: functions,
  },
  {
    name: 'functions: a migration changes a type under processes of the release before',
    in: 'migrationStatements',
    find: 'changedTypes.length > 0',
    put: 'changedTypes.length > 9',
    tests: functions,
  },
];
