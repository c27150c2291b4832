// The faults that `npm run mutate` plants keep up with the code: each has its one place, and tests that exist.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { mutants } from '../../../scripts/mutants.mjs';

const root = join(import.meta.dirname, '../../..');
const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => `test/${name}`);

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s', (_name, { file, find, tests: named }) => {
  expect(readFileSync(join(root, file), 'utf8').split(find)).toHaveLength(2);
  expect(named.filter((path) => !tests.some((each) => each.startsWith(path)))).toEqual([]);
});
