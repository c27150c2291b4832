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

/** `begins`: the call with which the operation itself begins. A count of rates that is due takes a call or two more now and then. */
const ceilings: Record<string, Figures> = {
  'GET film with references': { files: 50, functions: 152, changes: 132, begins: 82 },
  'GET article, public token': { files: 46, functions: 131, changes: 93, begins: 90 },
  'GET article, master token': { files: 44, functions: 125, changes: 90, begins: 83 },
  'POST article': { files: 69, functions: 218, changes: 174, begins: 123 },
  'PATCH article': { files: 71, functions: 235, changes: 213, begins: 134 },
  'GraphQL list with a reference': { files: 87, functions: 281, changes: 347, begins: 177 },
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
