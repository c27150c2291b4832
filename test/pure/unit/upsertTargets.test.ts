// The entries that rows of an import update (`--upsert`), where a file and the service write a text in different forms
// of Unicode.
import { expect, test } from '@jest/globals';
import type { ApiClient } from '../../../clients/cli/src/service/apiClient.ts';
import type { InputFile } from '../../../clients/cli/src/transfer/files/inputFiles.ts';
import { RowPreparer, type ReadyRow } from '../../../clients/cli/src/transfer/columns/prepareRows.ts';
import { findUpsertTargets } from '../../../clients/cli/src/service/remoteEntries.ts';
import { RowLinks } from '../../../clients/cli/src/transfer/rowLinks.ts';
import type { FieldDefinition } from '../../../src/fields/definition.ts';

const composed = 'Café';
const decomposed = composed.normalize('NFD');

/** Prepares rows that have these names, in a channel whose field `name` is of a type. */
function prepare(type: 'string' | 'text', names: readonly string[]): unknown[] {
  const fields = [{ name: 'name', type }] as unknown as FieldDefinition[];
  const links = new RowLinks('places', fields);
  const preparer = new RowPreparer({ fields, upsert: 'name', rename: false, strict: false, links });
  const input = { format: 'json' } as InputFile;
  return names.map((name, place) => preparer.prepare({ input, place, members: { name } }));
}

/** The ids of the entries that the rows update, where the service answers every look-up with these entries. */
async function findIds(rows: readonly unknown[], entries: readonly { id: string; name: string }[]): Promise<unknown[]> {
  const body = entries.map((entry) => ({ ...entry, updated_at: 'now' }));
  const client = { request: () => Promise.resolve({ status: 200, body, headers: new Headers() }) };
  const targets = await findUpsertTargets(client as unknown as ApiClient, 'places', 'name', rows as ReadyRow[]);
  return targets.map((target) => (target !== null && 'id' in target ? target.id : target));
}

test('--upsert matches composed and decomposed spellings of a text', async () => {
  const rows = prepare('string', [decomposed]);
  expect(await findIds(rows, [{ id: 'one', name: composed }])).toEqual(['one']);
  expect(await findIds(rows, [{ id: 'two', name: decomposed }])).toEqual(['two']);
  const both = [
    { id: 'one', name: composed },
    { id: 'two', name: decomposed },
  ];
  expect(await findIds(rows, both)).toEqual([{ refused: 'has a name that 2 entries have' }]);
});

test('--upsert takes two rows whose texts differ only in normalization for one value, if the field is stored composed', () => {
  const [, second] = prepare('string', [composed, decomposed]);
  expect(second).toMatchObject({ reason: 'has the same name as an earlier row' });
});

test('--upsert distinguishes the normalization forms in a field whose texts are stored as sent', async () => {
  const rows = prepare('text', [composed, decomposed]);
  expect(await findIds(rows, [{ id: 'one', name: composed }])).toEqual(['one', null]);
});
