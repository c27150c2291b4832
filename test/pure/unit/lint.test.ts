// The lint rules that hold the architecture can fail: each is shown a line that it must report, and one it must not.
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { ESLint } from 'eslint';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const eslint = new ESLint({
  cwd: root,
  // Code that is no file has no types: only the rules that need none are asked.
  overrideConfig: [
    { files: ['**/*.ts'], languageOptions: { parserOptions: { projectService: false } } },
    {
      files: ['**/*.ts'],
      rules: Object.fromEntries((await typedRules()).map((rule) => [rule, 'off'])),
    },
  ],
});

/** The rules of typescript-eslint that need types. */
async function typedRules(): Promise<string[]> {
  const { default: tseslint } = await import('typescript-eslint');
  const { rules } = tseslint.plugin as unknown as { rules: Record<string, Rule> };
  const typed = Object.entries(rules).filter(([, { meta }]) => meta.docs.requiresTypeChecking === true);
  return typed.map(([name]) => `@typescript-eslint/${name}`);
}

interface Rule {
  readonly meta: { readonly docs: { readonly requiresTypeChecking?: boolean } };
}

async function reported(file: string, code: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(`${code}\n`, { filePath: `${root}/${file}` });
  return (result?.messages ?? []).map(({ ruleId, message }) => ruleId ?? message);
}

const imports = '@typescript-eslint/no-restricted-imports';
const oneWay = 'entryway/one-way';
const plain = 'entryway/plain-comments';
const uses = (what: string, from: string): string => `import { ${what} } from '${from}';\nexport const it = ${what};`;

test.each([
  ['src/rules/x.ts', uses('it1', '../entries/read.ts'), oneWay],
  ['src/rules/x.ts', uses('Prisma', '../generated/prisma/client.ts'), imports],
  ['src/inputs/x.ts', uses('it1', '../resolvers/shared.ts'), oneWay],
  ['src/inputs/x.ts', uses('Router', 'express'), imports],
  ['src/serializers/x.ts', uses('findVisible', '../entries/read.ts'), imports],
  ['src/database/x.ts', uses('it1', '../resolvers/shared.ts'), oneWay],
  ['src/fields/x.ts', uses('it1', '../inputs/sort.ts'), oneWay],
  ['src/fields/x.ts', "import type { It } from '../inputs/sort.ts';\nexport type X = It;", oneWay],
  ['src/search/x.ts', uses('it1', '../entries/read.ts'), oneWay],
  ['src/entries/x.ts', uses('it1', '../serializers/entry.ts'), oneWay],
  ['src/base/enums.ts', uses('it1', '../fields/definition.ts'), oneWay],
  ['src/resolvers/x.ts', uses('it1', '../rest/route.ts'), oneWay],
  ['src/resolvers/x.ts', uses('ApolloServer', '@apollo/server'), imports],
  ['src/graphql/x.ts', uses('it1', '../rest/route.ts'), oneWay],
  ['src/graphql/x.ts', uses('execute', 'graphql'), imports],
  ['src/rest/x.ts', uses('it1', '../graphql/server.ts'), oneWay],
  ['src/auth/x.ts', uses('it1', '../resolvers/context.ts'), oneWay],
  ['src/base/errors.ts', uses('it1', '../database/databaseErrors.ts'), oneWay],
  ['src/http/x.ts', uses('it1', '../resolvers/shared.ts'), oneWay],
  ['src/entries/x.ts', 'export const it = (db) => db.$queryRawUnsafe("SELECT 1");', 'no-restricted-syntax'],
  ['src/entries/x.ts', 'export const it = (Prisma) => Prisma.raw("SELECT 1");', 'no-restricted-syntax'],
  ['src/entries/x.ts', "export * from './entries.ts';", 'no-restricted-syntax'],
  ['src/entries/x.ts', 'export const it = { ...{ a: 1, b: 2 }, c: 3 };', 'no-restricted-syntax'],
  ['src/entries/x.ts', 'export const it = [...[1, 2], 3];', 'no-restricted-syntax'],
  ['src/service.ts', 'export const it = process.env;', 'no-restricted-globals'],
  ['src/rules/x.ts', 'export const now = () => Date.now();', 'no-restricted-syntax'],
  ['src/rules/x.ts', 'export const now = () => new Date();', 'no-restricted-syntax'],
  ['src/inputs/x.ts', uses('it1', '../serializers/entry.ts'), oneWay],
  ['src/serializers/x.ts', uses('it1', '../inputs/sort.ts'), imports],
  ['src/database/x.ts', uses('it1', '../inputs/sort.ts'), oneWay],
  ['src/auth/x.ts', uses('it1', '../inputs/sort.ts'), oneWay],
  ['src/auth/x.ts', "import type { Context } from '../resolvers/context.ts';\nexport type X = Context;", oneWay],
  ['src/resolvers/x.ts', uses('PrismaClient', '../generated/prisma/client.ts'), imports],
  ['src/graphql/x.ts', uses('it1', '../entries/read.ts'), imports],
  ['src/rest/x.ts', uses('it1', '../rules/access.ts'), imports],
  ['src/resolvers/context.ts', uses('it1', '../rest/handler.ts'), oneWay],
  ['src/service.ts', uses('it1', './cli/run.ts'), oneWay],
  ['src/base/errors.ts', uses('it1', '../config/config.ts'), oneWay],
  ['src/features/audit/x.ts', uses('it1', '../explain/explain.ts'), oneWay],
  ['src/resolvers/x.ts', "export const it = () => import('../features/audit/list.ts');", oneWay],
  ['src/new.ts', 'export const it = 1;', oneWay],
  ['src/rest/x.ts', "import { env } from 'node:process';\nexport const it = env;", imports],
  ['src/rest/x.ts', 'export const p = process;', 'no-restricted-globals'],
  ['src/rest/x.ts', 'export const e = globalThis.process.env;', 'no-restricted-properties'],
  ['src/entries/x.ts', 'export const f = ({ $queryRawUnsafe }) => $queryRawUnsafe("x");', 'no-restricted-syntax'],
  ['src/entries/x.ts', 'export const f = (c, t) => c.query(`SELECT * FROM ${t}`);', 'no-restricted-syntax'],
  ['src/entries/x.ts', "export { a } from './entries.ts';", 'no-restricted-syntax'],
  ['src/resolvers/x.ts', 'export const it = (db) => db.$queryRaw`SELECT 1 FROM entries e`;', 'no-restricted-syntax'],
  ['src/cli/x.ts', "export const it = 'DELETE FROM entries';", 'no-restricted-syntax'],
  ['src/cli/x.ts', 'export const it = (db) => db.entry.createMany({ data: [] });', 'no-restricted-syntax'],
  ['src/auth/x.ts', 'export const it = ({ entry }) => entry.findFirst({});', 'no-restricted-syntax'],
  ['src/inputs/x.ts', uses('it1', '../auth/tokens.ts'), imports],
  ['src/entries/x.ts', uses('it1', '../inputs/sort.ts'), oneWay],
  ['src/rest/x.ts', uses('it1', '../../clients/cli/src/service/ids.ts'), oneWay],
  ['src/cli/x.ts', uses('it1', '../../clients/typescript/src/transport.ts'), oneWay],
  ['clients/cli/src/x.ts', uses('it1', '../../../src/entries/model.ts'), oneWay],
  ['clients/cli/src/x.ts', uses('it1', '../../../src/generated/prisma/client.ts'), oneWay],
  ['clients/cli/src/x.ts', uses('Pool', 'pg'), imports],
  ['clients/cli/src/x.ts', "export * from './import.ts';", 'no-restricted-syntax'],
  ['clients/typescript/src/x.ts', uses('it1', '../../cli/src/service/ids.ts'), oneWay],
  ['clients/typescript/src/x.ts', uses('it1', '../../../src/rules/names.ts'), oneWay],
  ['console/app/x.ts', uses('it1', '../../src/rules/names.ts'), oneWay],
  ['src/entries/x.ts', 'export const a: any = 1;', '@typescript-eslint/no-explicit-any'],
  ['src/entries/x.ts', `export const a = 1;\n${'// x\n'.repeat(300)}`, 'max-lines'],
  ['src/entries/x.ts', '// What an entry shows.\nexport const it = 1;', plain],
  ['src/entries/x.ts', '/** How many entries a list has. */\nexport const it = 1;', plain],
  ['src/entries/x.ts', '/** Whoever reads the entry. */\nexport const it = 1;', plain],
  ['src/entries/x.ts', '/** A limit. @returns what is left of it */\nexport const it = 1;', plain],
  ['src/entries/x.ts', '// The next process\n// is told of it.\nexport const it = 1;', plain],
  ['src/entries/x.ts', '/** Reads what is shown of an entry. */\nexport const it = 1;', plain],
  ['src/entries/x.ts', '/**\n * The statement looks\n * for an entry.\n */\nexport const it = 1;', plain],
  ['src/cli/demo/x.ts', 'export const it = 1; // those who read it', plain],
])('%s: %j is reported', async (file, code, rule) => {
  expect(await reported(file, code)).toContain(rule);
});

test.each([
  ['src/rules/x.ts', uses('it1', './access.ts')],
  ['src/inputs/x.ts', uses('isSlug', '../rules/names.ts')],
  ['src/resolvers/x.ts', uses('sortOrder', '../entries/sql/orderSql.ts')],
  ['src/inputs/x.ts', uses('members', '../entries/members.ts')],
  ['src/resolvers/x.ts', 'export const it = (db): unknown => db.entry.findVisible();'],
  ['src/entries/x.ts', 'export const it = (db): unknown => db.$queryRaw`SELECT 1 FROM entries e`;'],
  ['src/resolvers/x.ts', "import type { Context } from './context.ts';\nexport type It = Context;"],
  ['src/rest/x.ts', uses('perform', '../resolvers/perform.ts')],
  ['src/cli/x.ts', 'export const it = process.env;'],
  ['src/entries/x.ts', '/** Whether a customer who is signed in may read it. */\nexport const it = 1;'],
  ['src/entries/x.ts', '/** Shows an entry: its whole text. */\nexport const it = 1;'],
  ['clients/cli/src/x.ts', '/** What the doors share. */\nexport const it = 1;'],
  ['src/cli/x.ts', uses('siteId', '../../clients/cli/src/service/ids.ts')],
  ['clients/cli/src/x.ts', uses('isHandle', '../../../src/rules/names.ts')],
  ['clients/cli/src/x.ts', uses('Transport', '../../typescript/src/transport.ts')],
  ['console/app/x.ts', uses('explainAccess', '../../src/rules/access.ts')],
  ['src/entries/sql/predicate.ts', uses('Prisma', '../generated/prisma/client.ts')],
])('%s: %j is not reported', async (file, code) => {
  expect(await reported(file, code)).toEqual([]);
});
