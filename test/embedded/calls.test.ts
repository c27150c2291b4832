// The way of a request through the code: files, named functions, and changes from one file to another
// (bench/calls.mjs). A change that shortens a way lowers its ceiling here; only a new capability that each such request has, as that
// a write stores its author, or a read asks for rights, scopes and the rules of fields, raises one.
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
  'GET film with references': { files: 54, functions: 172, changes: 149, begins: 82 },
  'GET article, public token': { files: 49, functions: 134, changes: 102, begins: 90 },
  'GET article, master token': { files: 47, functions: 129, changes: 98, begins: 82 },
  'POST article': { files: 72, functions: 230, changes: 184, begins: 122 },
  'PATCH article': { files: 76, functions: 255, changes: 244, begins: 133 },
  'GraphQL list with a reference': { files: 90, functions: 300, changes: 371, begins: 170 },
};

const root = join(import.meta.dirname, '../..');
const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bench/calls.mjs'), '--json'], {
  cwd: root,
});
const figures = JSON.parse(stdout) as Record<string, Figures>;

test('each request that bench/calls.mjs counts has a ceiling', () => {
  expect(Object.keys(figures)).toEqual(Object.keys(ceilings));
});

test.each(Object.entries(ceilings))(
  '%s stays within its ceiling of files, functions and file changes',
  (name, ceiling) => {
    const measured = figures[name];
    expect(measured?.files).toBeLessThanOrEqual(ceiling.files);
    expect(measured?.functions).toBeLessThanOrEqual(ceiling.functions);
    expect(measured?.changes).toBeLessThanOrEqual(ceiling.changes);
    expect(measured?.begins).toBeLessThanOrEqual(ceiling.begins);
  },
);
