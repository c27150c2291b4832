// The folder of a test says where it runs:
//   test/pure        without a database
//   test/both        on the embedded database and on PostgreSQL
//   test/once        on one of them, because it makes no difference which: PostgreSQL, or the embedded one without it
//                    (the doors perform the same operations: of what they share one door's tests run on both databases, the
//                    other's on one; so do those of clients, and of what is refused before anything is stored)
//   test/embedded    on the embedded database alone
//   test/postgresql  on PostgreSQL alone
//   test/citus       on PostgreSQL with Citus alone: `npm run test:citus`
// Run through scripts/test.mjs, which provides PostgreSQL; without it there is no project of that name.

const common = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};

const hasPostgresql = Boolean(process.env.TEST_DATABASE_URL);

/** Tests in a browser, which do not run without one: scripts/test.mjs says so then. */
const inBrowser = ['/test/once/(console|pages)/', '/test/once/clients/client\\.browser\\.'];
/** The test of a generator that is not among the packages, which does not run without it. */
const byOrval = '/test/once/clients/openapi\\.orval\\.';
/** Further tests that a run leaves out: a pattern of their paths. */
const leftOut = process.env.TEST_LEFT_OUT ? [process.env.TEST_LEFT_OUT] : [];
const ignored = [
  '/node_modules/',
  ...(process.env.CHROMIUM ? [] : inBrowser),
  ...(process.env.ORVAL ? [] : [byOrval]),
  ...leftOut,
];

const testsIn = (...folders) => folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`);

const on = (testDatabase, ...folders) => ({
  ...common,
  displayName: testDatabase,
  globals: { testDatabase },
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/support/watch/setup.mjs'],
  testMatch: testsIn(...folders),
  testPathIgnorePatterns: ignored,
});

const pure = { ...common, displayName: 'pure', testMatch: testsIn('pure') };

/** @type {import('jest').Config} */
export default {
  projects: hasPostgresql
    ? [
        pure,
        on('embedded', 'both', 'embedded'),
        on('postgresql', 'both', 'once', 'postgresql'),
        ...(process.env.TEST_CITUS_NODES ? [{ ...on('postgresql', 'citus'), displayName: 'citus' }] : []),
      ]
    : [pure, on('embedded', 'both', 'once', 'embedded')],
  reporters: ['default', ...(process.env.TEST_RESULT_FILE ? ['<rootDir>/test/support/reporter.mjs'] : [])],
  testSequencer: '<rootDir>/test/support/sequencer.mjs',
  // Ends a test that hangs. None measures by it: the machine may be busy with other work.
  testTimeout: 300_000,
  // More than a machine of two cores has: a worker often waits for the database, a process or a browser.
  maxWorkers: 3,
  workerIdleMemoryLimit: '600MB',
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', '!src/generated/**', 'clients/*/src/**/*.ts'],
};
