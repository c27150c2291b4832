// How far a request goes through the code: files, named functions, and changes from one file to another (bench/calls.mjs). The
// figures only fall: whoever makes a way shorter lowers its ceiling here.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

interface Figures {
  readonly files: number;
  readonly functions: number;
  readonly changes: number;
  readonly begins: number;
}

/** `begins`: the call with which the operation itself begins. */
const ceilings: Record<string, Figures> = {
  'GET film with references': { files: 55, functions: 173, changes: 148, begins: 111 },
  'GET article, public token': { files: 52, functions: 155, changes: 113, begins: 124 },
  'GET article, master token': { files: 50, functions: 148, changes: 106, begins: 111 },
  'POST article': { files: 72, functions: 234, changes: 190, begins: 147 },
  'PATCH article': { files: 73, functions: 250, changes: 228, begins: 156 },
  'GraphQL list with a reference': { files: 87, functions: 289, changes: 359, begins: 195 },
};

const root = join(import.meta.dirname, '../..');
const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bench/calls.mjs'), '--json'], {
  cwd: root,
});
const figures = JSON.parse(stdout) as Record<string, Figures>;

test('each request that is counted has a ceiling', () => {
  expect(Object.keys(figures)).toEqual(Object.keys(ceilings));
});

test.each(Object.entries(ceilings))('%s stays within its ceiling', (name, ceiling) => {
  const measured = figures[name];
  expect(measured?.files).toBeLessThanOrEqual(ceiling.files);
  expect(measured?.functions).toBeLessThanOrEqual(ceiling.functions);
  expect(measured?.changes).toBeLessThanOrEqual(ceiling.changes);
  expect(measured?.begins).toBeLessThanOrEqual(ceiling.begins);
});
