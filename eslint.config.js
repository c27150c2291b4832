// Lint: types are strict, imports go one way, SQL is never built from strings, and only the command line reads process.
import js from '@eslint/js';
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';
import { plainComments } from './scripts/lint/comments.mjs';
import { oneWay } from './scripts/lint/floors.mjs';

/** Packages that only the doors, or only the rooms of the database, may load. */
const packages = {
  express: ['express', 'cors', 'accepts', 'parseurl', 'proxy-addr'],
  apollo: ['@apollo/*', 'graphql', '@graphql-tools/*'],
  drivers: ['pg', '@prisma/*', '@electric-sql/*', 'pglite-prisma-adapter'],
  telemetry: ['prom-client', '@opentelemetry/*'],
};

/** What a room may not load besides, though it lies lower, or comes from elsewhere. Longer names come later, and count. */
const everyPackage = [...packages.express, ...packages.apollo, ...packages.drivers];
const doors = { rooms: ['rules(?!/callers)', 'database', 'entries'], client: true };
const pure = { external: everyPackage };
const operations = { external: everyPackage, client: true };
const restrictions = {
  base: {},
  config: {},
  telemetry: { external: everyPackage },
  rules: { rooms: ['generated(?!/anyAscii/)'], external: everyPackage },
  database: { external: [...packages.express, ...packages.apollo] },
  fields: pure,
  search: pure,
  auth: { external: [...packages.express, ...packages.apollo], client: true },
  admission: { external: [...packages.express, ...packages.apollo], client: true },
  entries: { external: [...packages.express, ...packages.apollo] },
  inputs: { ...pure, rooms: ['auth', 'admission'] },
  serializers: {
    rooms: ['inputs', 'auth'],
    typesOf: ['entries(?!/members)', 'database', 'generated'],
    external: everyPackage,
  },
  resolvers: operations,
  http: { external: [...packages.apollo, ...packages.drivers] },
  rest: { ...doors, external: [...packages.apollo, ...packages.drivers] },
  graphql: { ...doors, external: packages.drivers },
  browser: {
    rooms: ['rules', 'database', 'entries'],
    external: [...packages.apollo, ...packages.drivers],
    client: true,
  },
  management: operations,
  features: operations,
  'features/changes/subscription': { ...operations, external: packages.drivers },
  'features/typed': { ...operations, external: packages.drivers },
  cli: {},
};

/** The folders whose comments are plain. Not yet: the clients. */
const plainFolders = [
  ...['rules', 'fields', 'search', 'inputs', 'serializers', 'entries', 'database', 'management', 'telemetry', 'config'],
  ...['http', 'admission', 'resolvers', 'rest', 'auth', 'base', 'graphql', 'service', 'browser'],
  ...['explain', 'audit', 'typed', 'moving', 'changes', 'webhooks', 'rebuilds', 'signIn'].map(
    (name) => `features/${name}`,
  ),
  ...['commands', 'operator', 'serve', 'demo', 'moving'].map((name) => `cli/${name}`),
].map((name) => `src/${name}/**/*.ts`);
plainFolders.push('src/*.ts', 'src/cli/*.ts', 'src/features/*.ts');

const processOwners = 'Only main.ts and the commands read process.';
const ownExecutor =
  'src/graphql/executor/execute.ts executes: graphql-js leaves promises of lists unhandled where a later item fails at once (graphql-js #3528).';
const tagged = 'SQL is written as a tagged template, so that every value is a parameter.';

const beyondRoom = 'This room does not know that one: eslint.config.js has what each may load.';

/** Matches the names of packages, and what is below them. */
function matchPackages(names) {
  return `^(?:${[...new Set(names)].join('|').replaceAll('*', '[^/]+')})(?:/|$)`;
}

/** The rule that keeps a room's imports to what it may know. */
function importsOf([room, { rooms = [], typesOf = [], external: named = [], client = false }]) {
  const external = room === 'telemetry' ? named : [...named, ...packages.telemetry];
  const patterns = [
    ...(rooms.length > 0 ? [{ regex: `^(\\.\\./|\\./)+(${rooms.join('|')})(/|\\.ts$)`, message: beyondRoom }] : []),
    ...(typesOf.length > 0 ? [{ regex: `/(${typesOf.join('|')})/`, message: beyondRoom, allowTypeImports: true }] : []),
    {
      regex: '^graphql(/|$)',
      importNamePattern: '^(execute|executeSync|graphql|graphqlSync|subscribe)$',
      message: ownExecutor,
    },
    ...(room === 'cli' ? [] : [{ regex: '^(node:)?process$', message: processOwners }]),
    ...(client
      ? [{ regex: '/generated/prisma/', importNames: ['PrismaClient'], message: beyondRoom, allowTypeImports: true }]
      : []),
    ...(external.length > 0 ? [{ regex: matchPackages(external), message: beyondRoom, allowTypeImports: true }] : []),
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
    message: 'Import the file itself.',
  })),
);
syntax.push(
  ...['ObjectExpression > SpreadElement > ObjectExpression', 'ArrayExpression > SpreadElement > ArrayExpression'].map(
    (selector) => ({ selector, message: 'Write the members themselves: a spread of a literal only saves lines.' }),
  ),
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
      // A decision that may have to be waited for (src/base/promiseOrValue.ts) is no boolean: left as it is, it would be true.
      '@typescript-eslint/strict-boolean-expressions': [
        'error',
        { allowNullableBoolean: true, allowNullableString: true, allowNullableNumber: true, allowNullableEnum: true },
      ],
      'max-lines': ['error', { max: 300, skipBlankLines: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...syntax] },
  },
  {
    files: ['src/**/*.ts', 'clients/cli/src/**/*.ts'],
    ignores: ['src/entries/**', 'src/generated/**'],
    rules: { 'no-restricted-syntax': ['error', ...syntax, ...entriesAlone] },
  },
  {
    files: ['src/**/*.ts'],
    // The lock names its process to others, and maintenance warns without a log at hand.
    ignores: [
      'src/main.ts',
      'src/cli/**',
      'src/database/embedded/directoryLock.ts',
      'src/database/embedded/embedded.ts',
    ],
    rules: {
      'no-restricted-globals': ['error', { name: 'process', message: processOwners }],
      'no-restricted-properties': ['error', { object: 'globalThis', property: 'process', message: processOwners }],
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts', 'clients/*/src/**/*.ts', 'console/**/*.ts', 'console/**/*.tsx'],
    ignores: ['src/generated/**', 'src/types/**'],
    plugins: { entryway: { rules: { 'one-way': oneWay, 'plain-comments': plainComments } } },
    rules: { 'entryway/one-way': ['error', import.meta.dirname] },
  },
  {
    files: ['clients/*/src/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: matchPackages([...everyPackage, ...packages.telemetry]), message: 'A client has HTTP alone.' },
          ],
        },
      ],
    },
  },
  { files: plainFolders, rules: { 'entryway/plain-comments': 'error' } },
  ...Object.entries(restrictions).map(importsOf),
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
