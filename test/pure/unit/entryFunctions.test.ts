// The calls that write entries, the table of fixed members and the text of the database's functions agree: no position in one decides
// what another one means, save for the line of short columns, whose order is compared here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { serviceActor } from '../../../src/rules/author.ts';
import type { EntryDraft, EntryValues } from '../../../src/entries/draft.ts';
import { columnName, settableMembers } from '../../../src/entries/members.ts';
import { columns } from '../../../src/entries/sql/memberSql.ts';
import type { ModelContext } from '../../../src/entries/modelContext.ts';
import { shortColumns } from '../../../src/entries/row.ts';
import { deleteIf, draftJson, insertDrafts, storeDraft, updateIf } from '../../../src/entries/sql/write.ts';
import type { Channel, Prisma } from '../../../src/generated/prisma/client.ts';

const authorship = { actor: serviceActor, now: new Date('2026-01-31T12:00:00Z') };
const channel = {
  siteId: 'site',
  id: 'notes',
  uid: 'uid',
  version: 1,
  fieldsVersion: 1,
  language: 'simple',
} as Channel;
const values: EntryValues = {
  slug: 'dune',
  status: 'draft',
  publishAt: null,
  acl: {},
  owner: null,
  data: {},
  kept: {},
  title: null,
  indexed: [],
  searched: { a: '', b: '', c: '' },
};
const draft: EntryDraft = { id: 'id', shortId: 'short', values };

function sourceOf(name: string): string {
  return readFileSync(join(import.meta.dirname, `../../../prisma/functions/${name}.sql`), 'utf8');
}

/** The parameters of a function in the order of its text: the type of each, by name. */
function parametersOf(name: string): Record<string, string> {
  const [, header = ''] = /FUNCTION "\w+"\(([^)]*)\)/.exec(sourceOf(name)) ?? [];
  return Object.fromEntries(
    [...header.matchAll(/"(\w+)" ("?\w+"?(?:\[\])?)/g)].map(([, parameter = '', type = '']) => [
      parameter,
      type.replaceAll('"', '').toLowerCase(),
    ]),
  );
}

/** Runs a write without a database. @returns the type of each parameter that its statement passes, by name */
async function passedBy(write: (context: ModelContext) => Promise<unknown>): Promise<Record<string, string>> {
  const texts: string[] = [];
  const run = <Row>({ text }: Prisma.Sql): Promise<Row[]> => Promise.resolve((texts.push(text), []));
  await write({ statements: { read: run, readPrepared: run, write: run }, counts: null, creates: null });
  const passed = [...(texts[0] ?? '').matchAll(/(\w+) => \$\d+::(\w+(?:\[\])?)/g)];
  // None is passed by its position.
  expect(passed).toHaveLength([...(texts[0] ?? '').matchAll(/\$\d+/g)].length);
  return Object.fromEntries(passed.map(([, parameter = '', type = '']) => [parameter, type]));
}

describe('a write passes each parameter of its function by name, with its type', () => {
  test('a create passes each parameter of its function by name, with its type', async () => {
    expect(await passedBy(({ statements }) => storeDraft(statements, channel, { draft, ...authorship }))).toEqual(
      parametersOf('entryway_create_entry'),
    );
  });

  test('an update passes each parameter of its function by name, with its type', async () => {
    const entry = { id: 'id', version: 1 };
    expect(await passedBy((context) => updateIf.call(context, channel, entry, values, authorship))).toEqual(
      parametersOf('entryway_update_entry'),
    );
  });

  test('a delete passes each parameter of its function by name, with its type', async () => {
    const entry = { id: 'id', version: 1 };
    expect(await passedBy((context) => deleteIf.call(context, channel, entry, authorship))).toEqual(
      parametersOf('entryway_delete_entry'),
    );
  });

  test.each(['entryway_create_entries', 'entryway_create_each', 'entryway_join_creates'])(
    'several creates pass each parameter by name: %s',
    async (name) => {
      const drafts = [draft, { ...draft, id: 'other' }];
      expect(await passedBy((context) => insertDrafts.call(context, channel, drafts, authorship))).toEqual(
        parametersOf(name),
      );
    },
  );
});

const memberColumns = settableMembers.map(columnName);
const creating = ['entryway_create_entry', 'entryway_create_entries', 'entryway_create_each'];

test.each(creating)('%s stores each settable member', (name) => {
  const [, stored = ''] = /INSERT INTO "entries"(?: AS e)? \(([^)]*)\)/.exec(sourceOf(name)) ?? [];
  expect([...stored.matchAll(/"(\w+)"/g)].map(([, column]) => column)).toEqual(expect.arrayContaining(memberColumns));
});

test('entryway_update_entry stores each settable member', () => {
  const [, set = ''] = /UPDATE "entries" e SET(.*?)\bWHERE\b/s.exec(sourceOf('entryway_update_entry')) ?? [];
  expect([...set.matchAll(/"(\w+)" = "p_\1"/g)].map(([, column]) => column)).toEqual(
    expect.arrayContaining(memberColumns),
  );
});

test.each(creating.slice(1))('%s reads all members of a new entry’s document', (name) => {
  const [, read = ''] = /jsonb_to_recordset\("p_drafts"\) AS n \(([^)]*)\)/.exec(sourceOf(name)) ?? [];
  const written = Object.keys(JSON.parse(draftJson({ draft, ...authorship })) as object);
  expect([...read.matchAll(/"(\w+)" (?:[A-Z]|"entry_status")/g)].map(([, key]) => key).sort()).toEqual(written.sort());
});

test.each(['entryway_stored', 'entryway_create_entries'])(
  '%s returns the short columns in the order of rows',
  (name) => {
    const [, short = ''] = /concat_ws\(',',([^)]*)\)/.exec(sourceOf(name)) ?? [];
    const returned = [...short.matchAll(/\."(\w+)"/g)].map(([, column]) => column);
    expect(returned).toEqual(shortColumns.map((property) => columns[property].text));
  },
);
