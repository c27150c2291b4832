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
  'GET film with references': { files: 52, functions: 172, changes: 145, begins: 113 },
  'GET article, public token': { files: 49, functions: 153, changes: 111, begins: 126 },
  'GET article, master token': { files: 47, functions: 146, changes: 104, begins: 113 },
  'POST article': { files: 70, functions: 233, changes: 189, begins: 149 },
  'PATCH article': { files: 72, functions: 251, changes: 227, begins: 160 },
  'GraphQL list with a reference': { files: 87, functions: 293, changes: 357, begins: 202 },
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
