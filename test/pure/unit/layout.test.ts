// The layout of src/ (docs/architecture.md): every file has a floor, few files stand at the root, and no folder is a drawer.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { floors, mayImport, roomOf, stillUpward } from '../../../scripts/lint/floors.mjs';

const source = join(import.meta.dirname, '../../../src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !/^(generated|types)\//.test(path),
);

test('every file of src/ has a floor, and every floor has a file', () => {
  expect(files.filter((path) => roomOf(path) === undefined)).toEqual([]);
  const rooms = new Set(files.map(roomOf));
  expect(floors.flat().filter((room) => !rooms.has(room))).toEqual([]);
});

test('at most four files stand at the root of src/', () => {
  expect(files.filter((path) => !path.includes('/')).length).toBeLessThanOrEqual(4);
});

test('no folder of src/ has more than 15 files', () => {
  const counts = new Map<string, number>();
  for (const path of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > 15)).toEqual([]);
});

test('a room imports from lower floors alone, and files without a floor from none', () => {
  expect(mayImport('resolvers/perform.ts', 'entries/model.ts')).toBe(true);
  expect(mayImport('entries/model.ts', 'resolvers/perform.ts')).toBe(false);
  expect(mayImport('features/audit/list.ts', 'features/explain/explain.ts')).toBe(false);
  expect(mayImport('new.ts', 'base/errors.ts')).toBe(false);
  // Exceptions name files that there are.
  for (const pair of stillUpward) expect(pair.split(' -> ').filter((path) => !files.includes(path))).toEqual([]);
});
