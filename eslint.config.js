// Lint: types are strict, imports go one way, SQL is never built from strings, and only the command line reads process.
import js from '@eslint/js';
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';

/** Packages that only the doors, or only the rooms of the database, may load. */
const packages = {
  express: ['express', 'cors', 'helmet', 'accepts', 'parseurl', 'proxy-addr'],
  apollo: ['@apollo/*', 'graphql', '@graphql-tools/*'],
  drivers: ['pg', '@prisma/*', '@electric-sql/*', 'pglite-prisma-adapter'],
  telemetry: ['prom-client', '@opentelemetry/*'],
};

/**
 * The rooms of src/, from the ground floor up: its folders, and the files beside them. A room imports from the rooms of lower floors
 * and from itself, types included; rooms of one floor do not know each other. Each file is in one (test/pure/unit/floors.test.ts).
 */
export const floors = [
  [
    'canonical',
    'databaseUrl',
    'enums',
    'errors',
    'eventLoop',
    'joinedWrites',
    'nearestName',
    'redaction',
    'secretFile',
  ],
  ['slowBodies', 'turns', 'types', 'version'],
  ['budget'],
  ['configVariables'],
  ['config', 'log'],
  ['telemetry'],
  ['database', 'fairQueue', 'rules'],
  ['fields', 'serverTurns', 'streams'],
  ['search', 'shares'],
  ['entries'],
  ['inputs'],
  ['serializers', 'auth'],
  ['heldOpen', 'openShares', 'replicaClient'],
  ['context'],
  ['readingContext'],
  ['resolvers', 'http'],
  ['rest', 'graphql', 'browser', 'delivery'],
  ['app', 'background', 'monitoring'],
  ['service'],
  ['cli'],
  ['main'],
];

/** Of what rooms above it a room may know the types. */
const typesFromAbove = { heldOpen: ['resolvers'] };

/** What a room may not load besides, though it lies lower, or comes from elsewhere. */
const everyPackage = [...packages.express, ...packages.apollo, ...packages.drivers];
const restrictions = {
  rules: { rooms: ['generated(?!/anyAscii/)'], external: everyPackage },
  inputs: { external: everyPackage },
  fields: { external: everyPackage },
  search: { external: everyPackage },
  serializers: {
    rooms: ['inputs'],
    typesOf: ['entries(?!/members)', 'database', 'generated'],
    external: everyPackage,
  },
  database: { external: [...packages.express, ...packages.apollo] },
  entries: { external: [...packages.express, ...packages.apollo] },
  auth: { rooms: ['inputs', 'entries'], external: [...packages.express, ...packages.apollo], client: true },
  resolvers: { external: everyPackage, client: true },
  http: { external: [...packages.apollo, ...packages.drivers] },
  graphql: { rooms: ['rules(?!/callers)', 'database', 'entries'], external: packages.drivers, client: true },
  browser: {
    rooms: ['rules', 'database', 'entries'],
    external: [...packages.apollo, ...packages.drivers],
    client: true,
  },
  delivery: { external: everyPackage, client: true },
  rest: {
    rooms: ['rules(?!/callers)', 'database', 'entries'],
    external: [...packages.apollo, ...packages.drivers],
    client: true,
  },
};

const oneWay =
  'Imports go graphql | rest | cli → resolvers → inputs | rules | fields | entries | serializers → database → errors | enums.';
const processOwners = 'Only main.ts and cli/ read process.';
const ownExecutor =
  'src/graphql/execute.ts executes: graphql-js leaves promises of lists unhandled where a later item fails at once (graphql-js #3528).';
const tagged = 'SQL is written as a tagged template, so that every value is a parameter.';

/** The rule that keeps a room's imports to what it may know. */
function importsOf(room) {
  const floor = floors.findIndex((rooms) => rooms.includes(room));
  const known = typesFromAbove[room] ?? [];
  const above = floors
    .flatMap((rooms, index) => (index >= floor ? rooms : []))
    .filter((other) => other !== room && !known.includes(other));
  const { rooms = [], typesOf = known, external: named = [], client = false } = restrictions[room] ?? {};
  const external = room === 'telemetry' ? everyPackage : [...named, ...packages.telemetry];
  const names = [...above, ...rooms].join('|');
  const patterns = [
    { regex: `^(\\.\\./|\\./)+(${names})(/|\\.ts$)`, message: oneWay },
    ...(typesOf.length > 0 ? [{ regex: `/(${typesOf.join('|')})/`, message: oneWay, allowTypeImports: true }] : []),
    {
      regex: '^graphql(/|$)',
      importNamePattern: '^(execute|executeSync|graphql|graphqlSync|subscribe)$',
      message: ownExecutor,
    },
    ...(room === 'cli' || room === 'main' ? [] : [{ regex: '^(node:)?process$', message: processOwners }]),
    ...(client
      ? [{ regex: '/generated/prisma/', importNames: ['PrismaClient'], message: oneWay, allowTypeImports: true }]
      : []),
    ...(external.length > 0 ? [{ group: [...new Set(external)], message: oneWay, allowTypeImports: true }] : []),
  ];
  return {
    files: [`src/${room}.ts`, `src/${room}/**`],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
  };
}

/** What no file of src/ may say: SQL built from strings, and barrels. */
const syntax = [
  ...['Identifier[name=/^\\$(query|execute)RawUnsafe$/]', 'Literal[value=/^\\$(query|execute)RawUnsafe$/]'],
  "MemberExpression[object.name='Prisma'][property.name='raw']",
  "VariableDeclarator[init.name='Prisma'] > ObjectPattern > Property[key.name='raw']",
  "CallExpression[callee.property.name='query'] > TemplateLiteral.arguments[expressions.length>0]",
].map((selector) => ({ selector, message: tagged }));
syntax.push(
  ...['ExportAllDeclaration', "ExportNamedDeclaration[source][exportKind='value']"].map((selector) => ({
    selector,
    message: 'Import the file itself: resolvers/index.ts is the only barrel.',
  })),
);
/** What only src/entries/ may say, where the one predicate is: the table's name in SQL, and the plain methods of the model. */
const plainMethods =
  '/^(find(Many|First|Unique)(OrThrow)?|count|create(Many|ManyAndReturn)?|update(Many|ManyAndReturn)?|delete(Many)?|upsert|aggregate|groupBy)$/';
const tableName = '/\\b(FROM|INTO|UPDATE|JOIN)\\s+"?entries\\b/';
const entriesAlone = [
  `TemplateElement[value.raw=${tableName}]`,
  `Literal[value=${tableName}]`,
  `MemberExpression[object.property.name='entry'][property.name=${plainMethods}]`,
  `MemberExpression[object.name='entry'][property.name=${plainMethods}]`,
].map((selector) => ({
  selector,
  message: 'Entries are reached through the methods of src/entries/model.ts, which apply the rule of access.',
}));
/** Rules decide at once, and at a time that they are told. */
const impure = [
  "NewExpression[callee.name='Date'][arguments.length=0]",
  "CallExpression[callee.object.name='Date'][callee.property.name='now']",
  'AwaitExpression',
  ':function[async=true]',
];

export default tseslint.config(
  { ignores: ['dist/', 'clients/*/dist/', 'data/', 'coverage/', 'src/generated/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.mjs', '*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        performance: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        Buffer: 'readonly',
        fetch: 'readonly',
      },
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/explicit-function-return-type': ['error', { allowExpressions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // `void` marks what is meant not to be waited for; arrow functions may pass on what a call gives.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Closed unions are checked with `switch`; a class of functions alone is caught in review.
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-invalid-void-type': 'off',
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/**/*.ts', 'clients/*/src/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 250, skipBlankLines: true }],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...syntax] },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/entries/**', 'src/generated/**'],
    rules: { 'no-restricted-syntax': ['error', ...syntax, ...entriesAlone] },
  },
  {
    files: ['src/**/*.ts'],
    // The lock names its process to others, and maintenance warns without a log at hand.
    ignores: ['src/main.ts', 'src/cli/**', 'src/database/directoryLock.ts', 'src/database/embedded.ts'],
    rules: {
      'no-restricted-globals': ['error', { name: 'process', message: processOwners }],
      'no-restricted-properties': ['error', { object: 'globalThis', property: 'process', message: processOwners }],
      'no-console': 'error',
    },
  },
  ...floors.flat().map(importsOf),
  {
    files: ['src/rules/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...syntax,
        ...entriesAlone,
        ...impure.map((selector) => ({ selector, message: 'Rules are pure, synchronous, and told the time.' })),
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    extends: [jest.configs['flat/recommended']],
    rules: {
      'jest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expect*', '*.expect*'] }],
      'jest/no-focused-tests': 'error',
      'jest/no-disabled-tests': 'error',
      'jest/no-standalone-expect': 'off',
      'jest/no-conditional-expect': 'off',
      'jest/valid-title': 'off',
      '@typescript-eslint/explicit-function-return-type': 'off',
      // Answers of the wire are read as what the test expects them to be.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  },
);
