// The faults that `npm run mutate` plants keep up with the code: each has its one place, and tests that exist.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { mutants } from '../../../scripts/mutants/index.mjs';
import { plant } from '../../../scripts/planting/plant.mjs';
import { Sources } from '../../../scripts/planting/sources.mjs';

const root = join(import.meta.dirname, '../../..');
const sources = new Sources(root);
const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`);

test('no two planted faults have the same name', () => {
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
  'the fault has its one place, and tests that exist: %s',
  (_name, mutant) => {
    expect(() => plant(sources, mutant)).not.toThrow();
    expect(mutant.tests.filter((path) => !tests.some((each) => each.startsWith(path)))).toEqual([]);
  },
);
