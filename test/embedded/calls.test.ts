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
  'GET film with references': { files: 52, functions: 171, changes: 145, begins: 111 },
  'GET article, public token': { files: 49, functions: 152, changes: 111, begins: 124 },
  'GET article, master token': { files: 47, functions: 145, changes: 104, begins: 111 },
  'POST article': { files: 70, functions: 231, changes: 188, begins: 147 },
  'PATCH article': { files: 72, functions: 249, changes: 226, begins: 158 },
  'GraphQL list with a reference': { files: 87, functions: 292, changes: 357, begins: 200 },
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
