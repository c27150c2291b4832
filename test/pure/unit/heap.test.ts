// The flags of V8 that the service sets: each version of Node has its own, and reports unknown ones on standard error.
import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { garbageFlags } from '../../../src/cli/serve/heap.ts';
import { webAssemblyFlags } from '../../../src/database/embedded/pgliteHost.ts';

const tellOf = (flag: string): string =>
  spawnSync(process.execPath, ['-e', `require('v8').setFlagsFromString('${flag}')`], { encoding: 'utf8' }).stderr;

test.each([...garbageFlags, ...webAssemblyFlags])('this version of Node knows %s', (flag) => {
  expect(tellOf(flag)).toBe('');
  expect(tellOf('--no-such-flag')).toContain('no-such-flag');
});
