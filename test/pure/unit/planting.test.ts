// Faults are planted by the function that they are in and by its syntax tree: neither moving nor formatting code loses their place.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { plant } from '../../../scripts/planting/plant.mjs';
import { Sources } from '../../../scripts/planting/sources.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'entryway-planting-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A project with files by their paths. */
function project(files: Record<string, string>): Sources {
  const root = mkdtempSync(join(scratch, 'project-'));
  mkdirSync(join(root, 'prisma/migrations'), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return new Sources(root);
}

const fault = {
  in: 'mayRead',
  find: 'if (list.denies(who)) return false;',
  put: 'if (list.denies(null)) return false;',
};

test.each([
  ['as it is', 'function mayRead(list, who) { if (list.denies(who)) return false; return true; }', 'list.denies(null)'],
  [
    'laid out otherwise',
    'function mayRead(list, who) {\n  if (\n    list.denies(\n      who, // him\n    )\n  ) return false;\n}',
    '(null)',
  ],
  [
    'with other names of its variables',
    'function mayRead(acl, user) { if (acl.denies(user)) return false; }',
    'acl.denies(null)',
  ],
])('a fault is located in a function %s', (_how, text, planted) => {
  expect(plant(project({ 'src/deep/in/rights.ts': text }), fault)).toEqual({
    file: 'src/deep/in/rights.ts',
    text: expect.stringContaining(planted) as unknown,
  });
});

test('a variable of the pattern does not match another variable of the function', () => {
  const sources = project({
    'src/a.ts': 'function mayRead(list, who, other) { if (list.denies(other)) return false; }',
  });
  expect(() => plant(sources, fault)).toThrow('Its place was found 0 times in mayRead.');
});

test('members with the name of a variable keep theirs', () => {
  const sources = project({ 'src/a.ts': 'const make = (given) => ({ name: given, all: given.name });' });
  const { text } = plant(sources, { in: 'make', find: '{ name, all: name.name }', put: '{ name, all: null }' });
  expect(text).toBe('const make = (given) => ({ name: given, all: null });');
});

test('a pattern that matches twice is refused with the number of matches', () => {
  const sources = project({ 'src/a.ts': 'function go() { run(1); run(1); }' });
  expect(() => plant(sources, { in: 'go', find: 'run(1)', put: 'run(2)' })).toThrow(
    'Its place was found 2 times in go.',
  );
});

test('the name of a file distinguishes functions of one name', () => {
  const sources = project({ 'src/a.ts': 'function go() { run(1); }', 'console/b.ts': 'function go() { run(1); }' });
  expect(() => plant(sources, { in: 'go', find: 'run(1)', put: 'run(2)' })).toThrow('found 2 times');
  expect(plant(sources, { in: 'b.ts:go', find: 'run(1)', put: 'run(2)' }).file).toBe('console/b.ts');
});

test('a method is named after its class', () => {
  const sources = project({ 'src/a.ts': 'class A { #on() { return 1; } }\nclass B { #on() { return 1; } }' });
  expect(plant(sources, { in: 'B.#on', find: '1', put: '2' }).text).toContain('class B { #on() { return 2; } }');
});

test.each([
  ['an argument', 'go(a, b)', 'b', 'go(a)'],
  ['the first member', '({ a: 1, b: 2 })', 'a: 1', '({ b: 2 })'],
  ['the only element', '[a,]', 'a', '[]'],
])('the removed code %s takes its comma with it', (_what, code, find, left) => {
  const sources = project({ 'src/a.ts': `const it = ${code};` });
  expect(plant(sources, { in: 'it', find, put: '' }).text).toBe(`const it = ${left};`);
});

test('a replacement with weaker operators is put in parentheses', () => {
  const sources = project({ 'src/a.ts': 'const it = a && b;' });
  expect(plant(sources, { in: 'it', find: 'b', put: 'null || true' }).text).toBe('const it = a && (null || true);');
});

test('a replacement with an unknown variable is refused, because every test would fail', () => {
  const sources = project({ 'src/a.ts': 'const it = a && b;' });
  expect(() => plant(sources, { in: 'it', find: 'b', put: 'unheardOf' })).toThrow('Nothing is called unheardOf there.');
});

test('text of a template is located whatever its white space and variables', () => {
  const sources = project({ 'src/a.ts': 'function go(k) { return sql`SELECT 1\n    WHERE ${by(k)} AND TRUE`; }' });
  const { text } = plant(sources, { in: 'go', text: 'WHERE ${by(key)} AND', put: 'WHERE ${String(by(key))} AND' });
  expect(text).toContain('SELECT 1\n    WHERE ${String(by(k))} AND TRUE');
});

test('a fault in a function of the database is planted in its last migration', () => {
  const define = (value: number): string => `CREATE OR REPLACE FUNCTION "f"() AS $$\n  RETURN ${value} + 1;\n$$;\n`;
  const sources = project({
    'prisma/migrations/1_first/migration.sql': define(1),
    'prisma/migrations/2_second/migration.sql': `${define(2)}\nSELECT 2 + 1;\n`,
  });
  expect(plant(sources, { sql: 'f', text: '+ 1', put: '- 1' })).toEqual({
    file: 'prisma/migrations/2_second/migration.sql',
    text: `CREATE OR REPLACE FUNCTION "f"() AS $$\n  RETURN 2 - 1;\n$$;\n\nSELECT 2 + 1;\n`,
  });
});
