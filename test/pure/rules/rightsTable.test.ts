// The tables of rights and scopes, and what they let somebody do (docs/access.md), are the ones that the rules make.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { writeScopeTable, writeTable } from '../../support/rightsTable.ts';

test('docs/access.md has the tables of rights and of scopes that the rules make', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/access.md'), 'utf8');
  const [, rights] = /\n(\| right or role[^]*?)\n\n/.exec(page) ?? [];
  const [, scopes] = /\n(\| scope [^]*?)\n\n/.exec(page) ?? [];
  expect([rights, scopes]).toEqual([writeTable(), writeScopeTable()]);
});
