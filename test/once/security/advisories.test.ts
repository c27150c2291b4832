// Each of the published holes that were studied, V1 to V26, has tests that are named after it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');

test('each advisory, V1 to V26, has a test with its number', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  const named = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(/^(?:describe|test)(?:\.each\([^\n]*\))?\(\s*['"`](V\d+): /gm)].map(
      ([, name]) => name ?? '',
    );
  });
  const all = Array.from({ length: 26 }, (_, index) => `V${index + 1}`);
  expect([...new Set(named)].sort()).toEqual(all.sort());
});
