// The documents name each fixed member, type of field, route and command: no other test reports that a page lacks one.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { enums } from '../../../src/base/enums.ts';
import { members } from '../../../src/entries/members.ts';
import { routes } from '../../../src/features.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const contract = read('docs/contract.md');

/** The names that are no code span of a text. */
function missing(names: readonly string[], text: string): string[] {
  return names.filter((name) => !text.includes(`\`${name}\``));
}

test('docs/contract.md names every fixed member of entries', () => {
  expect(
    missing(
      Object.values(members).map(({ rest }) => rest),
      contract,
    ),
  ).toEqual([]);
});

test('docs/contract.md names every type of field', () => {
  expect(missing(Object.values(enums.FieldType), contract)).toEqual([]);
});

test('docs/contract.md names the path of every route, whatever it calls the parameters', () => {
  const plain = contract.replaceAll(/\{\w+\}/g, ':');
  const paths = [...new Set(routes.map(({ path }) => path.replaceAll(/:\w+/g, ':')))];
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !new RegExp(`[ \`]${path}(?![/:\\w])`).test(plain))).toEqual([]);
});

test('docs/commands.md names every command', () => {
  const names = [...read('src/main.ts').matchAll(/\bname: '(\w+)'/g)].map(([, name = '']) => name);
  const page = read('docs/commands.md');
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !new RegExp(`(?:entryway |\`)${name}\\b`).test(page))).toEqual([]);
});
