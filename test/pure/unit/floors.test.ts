// The lint of imports looks at every file of src/: each is in a room that has a floor (eslint.config.js).
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../../..');
const { floors } = (await import(join(root, 'eslint.config.js'))) as { floors: readonly (readonly string[])[] };
const named = floors.flat();
const rooms = new Set(
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('generated/'))
    .map((path) => path.split('/')[0]?.replace(/\.ts$/, '') ?? path),
);

test('every folder and file of src/ has a floor', () => {
  expect([...rooms].filter((room) => !named.includes(room))).toEqual([]);
});

test('floors name what is there, and each once', () => {
  expect(named.filter((room) => !rooms.has(room))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
});
