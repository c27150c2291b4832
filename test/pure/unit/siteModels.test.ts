// What is distributed by site is said of tables where they are distributed, and of models where they are used.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { sections } from '../../../src/cli/moving/siteFile.ts';
import { sharedTables, siteTables } from '../../../src/database/citus/distribution.ts';
import { siteModels } from '../../../src/database/siteDatabase.ts';

const readFile = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('the models that are used on the node of their site are those of the tables that are distributed', () => {
  const schema = readFile('prisma/schema.prisma');
  const models = [...schema.matchAll(/^model (\w+) \{[^}]*@@map\("(\w+)"\)/gm)];
  const tables = new Map(
    models.map(([, name = '', table = '']) => [name.charAt(0).toLowerCase() + name.slice(1), table]),
  );
  const used = [...siteModels].map((model) => tables.get(String(model)));
  // Entries are used by statements alone (statements.ts).
  expect([...used, 'entries', 'entry_values'].sort()).toEqual([...siteTables].sort());
});

test('every table is distributed, or stays on the coordinator', () => {
  const schema = readFile('prisma/schema.prisma');
  const tables = [...schema.matchAll(/^ {2}@@map\("(\w+)"\)/gm)].map(([, table]) => table);
  // An enum has a name in the database, too.
  const types = [...schema.matchAll(/^enum \w+ \{[^}]*@@map\("(\w+)"\)/gm)].map(([, type]) => type);
  expect([...siteTables, ...sharedTables].sort()).toEqual(tables.filter((table) => !types.includes(table)).sort());
});

/** Their rows go with an entry and a webhook, by a foreign key. */
const goneWithOthers = ['entry_values', 'webhook_events'];

test('the deletion of a site empties every table that has rows of sites', () => {
  const text = ['management/sites/siteRows', 'entries/whole'].map((file) => readFile(`src/${file}.ts`)).join('');
  const deleted = [...text.matchAll(/DELETE FROM (\w+)/g)].map(([, table]) => table);
  // The site itself goes with its feed.
  expect(readFile('src/management/sites/deleteRows.ts')).toContain('db.changeFeed.deleteMany(');
  const emptied = [...deleted, ...goneWithOthers, 'change_feeds'];
  expect(siteTables.filter((table) => !emptied.includes(table))).toEqual([]);
});

/** What a file of a site does not have: it is derived again, or belongs to the installation that the site leaves (docs/contract.md §12.4). */
const notInFiles = [
  ...['entry_values', 'idempotency_keys', 'changes', 'change_feeds', 'webhook_events', 'webhook_deliveries'],
  ...['audit_records', 'sites', 'users', 'rate_counts'],
];

test('a file of a site has a section for every table, unless the table is named here', () => {
  const tables: string[] = sections.map((section) => (section === 'members' ? 'memberships' : section));
  expect([...tables, ...notInFiles].sort()).toEqual([...siteTables, ...sharedTables].sort());
});
