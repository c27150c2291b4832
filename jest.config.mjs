// Three projects: `pure` needs no database; `embedded` and `postgresql` run the same files, each on its database. A file
// that makes sense on one of them only lives in the folder of that name; where it makes no difference which, as for what
// is refused before any SQL, one of them will do. Run through scripts/test.mjs, which provides PostgreSQL; without it that
// project does not exist.

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

const pure = {
  ...common,
  displayName: 'pure',
  testMatch: ['<rootDir>/test/{rules,unit}/**/*.test.ts'],
};

const hasPostgresql = Boolean(process.env.TEST_DATABASE_URL);
const onBoth = 'db,auth,rest,graphql,contract,lists,cli,process,model,fuzz';
const onEither = 'doors,hostile,security';
/** Of these, what is about what the database keeps and finds. */
const stored = ['hostile/{concurrency,cursors,bodies.values}', 'security/advisories.names'];

/** Of what runs on both, what is about the command line, the wire and HTTP clients alone. */
const notStored = [
  'cli/(usage|import|export|token|user|site|expiry)',
  'process/(slow|drain)',
  'contract/(errors|http|secrets|examples)',
  'rest/(http|limits|rateLimits|trustProxy|callers\\.order)',
  'graphql/(sandbox|requests|introspection|limits|errors|text)',
];

const on = (testDatabase, shared) => ({
  ...common,
  displayName: testDatabase,
  globals: { testDatabase },
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/support/watch/setup.mjs'],
  testMatch: [
    `<rootDir>/test/{${shared}}/**/*.test.ts`,
    ...stored.map((path) => `<rootDir>/test/${path}*.test.ts`),
    `<rootDir>/test/${testDatabase}/**/*.test.ts`,
  ],
});

const besidePostgresql = {
  ...on('embedded', onBoth),
  testPathIgnorePatterns: ['/node_modules/', ...notStored.map((path) => `/test/${path}\\.`)],
};

/** @type {import('jest').Config} */
export default {
  projects: hasPostgresql
    ? [pure, besidePostgresql, on('postgresql', `${onBoth},${onEither}`)]
    : [pure, on('embedded', `${onBoth},${onEither}`)],
  reporters: ['default', ...(process.env.TEST_RESULT_FILE ? ['<rootDir>/test/support/reporter.mjs'] : [])],
  testTimeout: 30_000,
  maxWorkers: 2,
  workerIdleMemoryLimit: '600MB',
  coverageProvider: 'v8',
  collectCoverageFrom: ['src/**/*.ts', '!src/generated/**'],
};
