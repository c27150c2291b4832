// Entries are reached through the methods of src/entries/model.ts alone: lint holds it file by file (eslint.config.js), this test
// over the text of all of src/, comments aside.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../../../src');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith('generated/') && !name.startsWith('entries/'))
  .map((name) => [name, readFileSync(join(root, name), 'utf8')] as const);

/** Names the table in SQL, calls a method of Prisma's delegate, or has the type of the whole client. */
const waysAround = [
  /\b(FROM|INTO|UPDATE|JOIN)\s+"?entries\b/,
  /\bentry\s*\??\.(find(Many|First|Unique)(OrThrow)?|count|(create|update|delete)(Many(AndReturn)?)?|upsert|aggregate|groupBy)\(/,
  /\bEntryDelegate\b/,
];

/** Where the client is made. */
const makers = [
  ...['database/client.ts', 'database/database.ts', 'database/embedded/embedded.ts', 'database/open/postgresql.ts'],
  'database/postgresql/serverConnections.ts',
];

test('no code outside src/entries/ reaches an entry without the access rule', () => {
  expect(sources.length).toBeGreaterThan(100);
  const code = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const found = sources.flatMap(([name, text]) =>
    waysAround.filter((way) => way.test(code(text))).map((way) => `${name}: ${way.source}`),
  );
  expect(found).toEqual([]);
});

test('only the code that creates the client knows its plain methods', () => {
  const knowing = sources.filter(([, text]) => /\b(PrismaClient|PlainDatabase)\b/.test(text)).map(([name]) => name);
  expect(knowing.sort()).toEqual(makers);
});
