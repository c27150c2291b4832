// Management data is written by `manage` alone, which stores the records of the audit log (docs/contract.md §13.6);
// other code that writes it is listed with its reason.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { allTables } from '../../../src/database/tables.ts';

const root = join(import.meta.dirname, '../../../src');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const managed = allTables.filter(({ audited }) => audited !== null);
const models = managed.map(({ model }) => model.charAt(0).toLowerCase() + model.slice(1)).join('|');
const tables = managed.map(({ name }) => name).join('|');
const writes = new RegExp(
  `\\b(?:${models})\\s*\\.(?:create|update|upsert|delete)\\w*\\(` +
    `|\\b(?:INSERT INTO|UPDATE|DELETE FROM) (?:${tables})\\b`,
);

const reasons: Readonly<Record<string, string>> = {
  'auth/lastUsed.ts': 'when a token was last used is no change that somebody makes',
  'cli/demo/demo.ts': 'stores the record of the demo site itself, in the same transaction',
  'management/sites/siteRows.ts': "the parts of a site's deletion: the site has a record",
  'features/webhooks/queue.ts': 'how far a webhook has read, and the places of its queue',
  'features/webhooks/state.ts': 'stores the record itself where it disables a webhook; that one fails is no setting',
  'entries/feed/sightChanges.ts': 'what is recorded in the feed of a change of a channel that has its record',
  'management/sites/deleteRows.ts':
    'what is left of a site in the end: its deletion has a record, and an import that failed none',
  'features/moving/import/store.ts': 'what comes with an imported site: the site has a record once it is complete',
  'management/invitations/sweeps.ts': 'the same of invitations',
  'features/signIn/sweeps.ts': 'what is over: the end of a sign-in by time is no change that somebody makes',
  'entries/redefinition/outdated.ts': 'which version of the fields entries are derived for',
};

test('management data is written only within manage(), with listed exceptions', () => {
  const writing = sources.filter(({ text }) => writes.test(text));
  const past = writing
    .filter(({ text }) => !/from '(?:\.\.?\/)+(?:management\/)?manage\.ts'/.test(text))
    .map(({ path }) => path);
  expect(past.sort()).toEqual(Object.keys(reasons).sort());
  expect(writing.length - past.length).toBeGreaterThan(15);
});

test('no operation opens a transaction that could bypass manage()', () => {
  const opening = sources.filter(
    ({ path, text }) => /^(resolvers|management|features)\//.test(path) && /\$transaction\(|\btransact\(/.test(text),
  );
  expect(opening.map(({ path }) => path).sort()).toEqual([
    // Deletes what an import has left: the site is not there for anybody, and has no log. The background does so without a caller.
    ...['features/moving/import/held.ts', 'resolvers/transaction.ts'],
  ]);
});

test('only manage() and listed exceptions store audit records', () => {
  const storing = sources.filter(({ text }) => /\bstoreAuditRecords\(|\bauditDisabling\(/.test(text));
  expect(storing.map(({ path }) => path).sort()).toEqual([
    ...['cli/demo/demo.ts', 'features/webhooks/state.ts', 'management/manage.ts', 'resolvers/auditRecords.ts'],
  ]);
});
