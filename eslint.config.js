// Lint: types are strict, imports go one way, SQL is never built from strings, and only the command line reads process.
import js from '@eslint/js';
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';

/** Packages that only the doors, or only the database layer, may load. */
const packages = {
  express: ['express', 'cors', 'helmet', '@as-integrations/*'],
  apollo: ['@apollo/*', '@as-integrations/*', 'graphql', 'graphql-scalars', '@graphql-tools/*'],
  drivers: ['pg', '@prisma/*', '@electric-sql/*', 'pglite-prisma-adapter'],
};
const doors = ['graphql', 'rest', 'cli'];
const edges = [...doors, 'http'];

/** Forbids a folder of src/ to import from others. Types may be imported from anywhere: they bind nothing at run time. */
function forbid(files, { folders = [], modules = [], external = [], values = null, reads = false }, message) {
  const patterns = [
    ...folders.map((folder) => ({ regex: `^\\.{1,2}/(\\.\\./)*${folder}/`, message, allowTypeImports: true })),
    ...modules.map((module) => ({ regex: `^(\\.\\./|\\./)+${module}\\.ts$`, message, allowTypeImports: true })),
    ...(reads ? [] : [{ regex: '^(node:)?process$', message: processOwners }]),
    ...(values ? [{ regex: '/generated/prisma/', importNames: values, message, allowTypeImports: true }] : []),
    ...(external.length > 0 ? [{ group: [...new Set(external)], message, allowTypeImports: true }] : []),
  ];
  return { files, rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] } };
}

const oneWay = 'Imports go graphql | rest | cli → resolvers → inputs | rules | db | serializers → errors.';
const processOwners = 'Only main.ts and cli/ read process.';
const tagged = 'SQL is written as a tagged template, so that every value is a parameter.';
const top = ['app', 'service', 'main'];

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
/** Rules decide at once, and at a time that they are told. */
const impure = [
  "NewExpression[callee.name='Date'][arguments.length=0]",
  "CallExpression[callee.object.name='Date'][callee.property.name='now']",
  'AwaitExpression',
  ':function[async=true]',
];

export default tseslint.config(
  { ignores: ['dist/', 'data/', 'coverage/', 'src/generated/', 'node_modules/'] },
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
    files: ['**/*.ts'],
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
    files: ['src/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 250, skipBlankLines: true }],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': ['error', ...syntax],
    },
  },
  {
    files: ['src/**/*.ts'],
    // The lock names its process to others, and upkeep warns where no log is at hand.
    ignores: ['src/main.ts', 'src/cli/**', 'src/db/lock.ts', 'src/db/embedded.ts'],
    rules: {
      'no-restricted-globals': ['error', { name: 'process', message: processOwners }],
      'no-restricted-properties': ['error', { object: 'globalThis', property: 'process', message: processOwners }],
      'no-console': 'error',
    },
  },
  forbid(
    ['src/errors.ts', 'src/config.ts'],
    { folders: ['.*'], modules: ['[a-z]+'] },
    `${oneWay} These stand below everything.`,
  ),
  forbid(
    ['src/rules/**'],
    {
      folders: [...edges, 'resolvers', 'inputs', 'db', 'serializers', 'auth', 'generated'],
      modules: [...top, 'context', 'config', 'log'],
      external: [...packages.express, ...packages.apollo, ...packages.drivers],
    },
    `${oneWay} Rules are pure.`,
  ),
  {
    files: ['src/rules/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...syntax,
        ...impure.map((selector) => ({ selector, message: 'Rules are pure, synchronous, and told the time.' })),
      ],
    },
  },
  ...[
    ['src/inputs/**', 'serializers'],
    ['src/serializers/**', 'inputs'],
  ].map(([files, sibling]) =>
    forbid(
      [files],
      {
        folders: [...edges, 'resolvers', 'db', 'auth', 'generated', sibling],
        modules: [...top, 'context', 'config', 'log'],
        external: [...packages.express, ...packages.apollo, ...packages.drivers],
      },
      oneWay,
    ),
  ),
  forbid(
    ['src/db/**'],
    {
      folders: [...edges, 'resolvers', 'inputs', 'serializers', 'auth'],
      modules: [...top, 'context'],
      external: [...packages.express, ...packages.apollo],
    },
    oneWay,
  ),
  forbid(
    ['src/db/where.ts', 'src/db/order.ts'],
    {
      folders: [...edges, 'resolvers', 'serializers', 'auth', 'inputs'],
      modules: [...top, 'context', 'entries'],
      values: ['PrismaClient'],
      external: [...packages.express, ...packages.apollo, ...packages.drivers],
    },
    `${oneWay} These render conditions, and run nothing.`,
  ),
  forbid(
    ['src/auth/**'],
    {
      folders: [...edges, 'resolvers', 'inputs', 'serializers'],
      modules: [...top, 'context'],
      external: [...packages.express, ...packages.apollo],
      values: ['PrismaClient'],
    },
    oneWay,
  ),
  forbid(
    ['src/resolvers/**'],
    {
      folders: edges,
      modules: [...top, 'config', 'context'],
      external: [...packages.express, ...packages.apollo, ...packages.drivers],
      values: ['PrismaClient'],
    },
    `${oneWay} Both doors call resolvers.`,
  ),
  forbid(
    ['src/graphql/**'],
    { folders: ['rest', 'cli', 'rules', 'db'], modules: top, external: packages.drivers, values: ['PrismaClient'] },
    oneWay,
  ),
  forbid(
    ['src/rest/**'],
    {
      folders: ['graphql', 'cli', 'rules', 'db'],
      modules: top,
      external: [...packages.apollo, ...packages.drivers],
      values: ['PrismaClient'],
    },
    oneWay,
  ),
  forbid(
    ['src/http/**'],
    {
      folders: [...doors, 'resolvers'],
      modules: [...top, 'context'],
      external: [...packages.apollo, ...packages.drivers],
    },
    oneWay,
  ),
  forbid(['src/context.ts', 'src/log.ts'], { folders: [...edges, 'resolvers', 'serializers'], modules: top }, oneWay),
  forbid(['src/app.ts', 'src/service.ts'], { folders: ['cli'], modules: ['main'] }, oneWay),
  forbid(['src/cli/**'], { modules: ['main'], reads: true }, oneWay),
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
