// The table of rights and what they let a member do (docs/access.md) is the one that the rules make.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { writeTable } from '../../support/rightsTable.ts';

test('docs/access.md has the table of rights that the rules make', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/access.md'), 'utf8');
  const [, written] = /\n(\| right or role[^]*?)\n\n/.exec(page) ?? [];
  expect(written).toBe(writeTable());
});
