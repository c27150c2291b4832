// What is distributed by site is said of tables where they are distributed, and of models where they are used.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { siteTables } from '../../../src/database/distribution.ts';
import { siteModels } from '../../../src/database/siteDatabase.ts';

test('the models that are used on the node of their site are those of the tables that are distributed', () => {
  const schema = readFileSync(new URL('../../../prisma/schema.prisma', import.meta.url), 'utf8');
  const models = [...schema.matchAll(/^model (\w+) \{[^}]*@@map\("(\w+)"\)/gm)];
  const tables = new Map(
    models.map(([, name = '', table = '']) => [name.charAt(0).toLowerCase() + name.slice(1), table]),
  );
  const used = [...siteModels].map((model) => tables.get(String(model)));
  // Entries are used by statements alone (statements.ts).
  expect([...used, 'entries', 'entry_values'].sort()).toEqual([...siteTables].sort());
});
