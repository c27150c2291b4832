// Runs ahead of each test file: watches it, and fails the test during which something was seen that must not be.
import { existsSync, readFileSync } from 'node:fs';
import { Server } from 'node:http';
import { relative } from 'node:path';
import { afterAll, afterEach, expect } from '@jest/globals';
import { beginWatch, judged } from './index.mjs';

const root = new URL('../../../', import.meta.url).pathname;
const directory = process.env.TEST_WATCH_DIR;
/** Node's own modules are the same for all test files of a process: the watch of the last one is ended. */
const last = Symbol.for('entryway.test.watch');

if (directory) {
  const file = `${globalThis.testDatabase} ${relative(root, expect.getState().testPath)}`;
  Server[last]?.();
  const { record, stop } = beginWatch(directory, { file, place: 'test' });
  Server[last] = stop;
  let told = 0;
  const tellFindings = async () => {
    await judged();
    if (!existsSync(record.findingsFile)) return;
    const lines = readFileSync(record.findingsFile, 'utf8').trim().split('\n').slice(told);
    told += lines.length;
    if (lines.length > 0) throw new Error(`The watch found what must not be seen:\n${lines.join('\n')}`);
  };
  afterEach(tellFindings);
  afterAll(async () => {
    record.writeCounts();
    await tellFindings();
  });
}
