// Declaring fields that refer to entries: which channel they may name, and what stands in their way (docs/contract.md §6).
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

/** A site with people and an entry of them, and notes without declared fields. */
async function prepare() {
  const { db, site, channel: people, master } = await buildScene(app, { id: 'people' });
  const ada = await buildEntry(db, people, { slug: 'ada', data: { title: 'Ada' } });
  const notes = await buildChannel(db, site.id, { id: 'notes' });
  return { db, site, people, ada, notes, master: master };
}

function declare(master: Caller, fields: object[]) {
  const mutation =
    'mutation ($fields: [FieldInput!]) { updateChannel(id: "notes", input: { fields: $fields }) { id } }';
  return master.gql(mutation, { fields });
}

const field = (more: object = {}) => ({ name: 'author', type: 'REFERENCE', channel: 'people', ...more });

describe('a channel', () => {
  test.each([
    ['none', { channel: undefined }],
    ['null', { channel: null }],
    ['one that does not exist', { channel: 'nowhere' }],
    ['what is no channel’s id', { channel: 'No Channel' }],
    ['nothing', { channel: '' }],
    ['an entry of it', { channel: 'ada' }],
  ])('a reference field needs an existing channel: %s', async (_what, more) => {
    const { master } = await prepare();
    for (const type of ['REFERENCE', 'REFERENCES']) {
      expectRefusal(await declare(master, [field({ type, ...more })]), 'BAD_USER_INPUT', ['fields']);
      const create =
        'mutation ($fields: [FieldInput!]) { createChannel(input: { id: "new", fields: $fields }) { id } }';
      const answer = await master.gql(create, { fields: [field({ type, ...more })] });
      expectRefusal(answer, 'BAD_USER_INPUT', ['fields']);
    }
  });

  test('a reference field may lead to its own channel, also a new one', async () => {
    const { master } = await prepare();
    const fields = '[{ name: "parent", type: REFERENCE, channel: "tree" }]';
    const mutation = `mutation { createChannel(input: { id: "tree", fields: ${fields} }) { fields { channel } } }`;
    expect(expectData(await master.gql(mutation))).toEqual({ createChannel: { fields: [{ channel: 'tree' }] } });
    expectData(await declare(master, [field({ channel: 'notes' })]));
  });

  test('an unchanged reference field may lead to a deleted channel', async () => {
    const { master } = await prepare();
    expectData(await declare(master, [field()]));
    expectData(await master.gql('mutation { deleteChannel(id: "people", confirm: "people") }'));
    expectData(await declare(master, [field({ label: 'Author' })]));
    expectRefusal(await declare(master, [field({ type: 'REFERENCES' })]), 'BAD_USER_INPUT', ['fields']);
  });
});

test('a reference field has no default', async () => {
  const { master, ada } = await prepare();
  expectRefusal(await declare(master, [field({ default: ada.id })]), 'BAD_USER_INPUT', ['fields']);
});

describe('values that name no entry of the channel are in the way', () => {
  test.each<[string, string, (ada: string) => unknown, boolean]>([
    ['an id of no entry', 'REFERENCE', () => randomUUID(), true],
    ['an id in capitals', 'REFERENCE', () => randomUUID().toUpperCase(), true],
    ['a list with one', 'REFERENCES', (ada) => [ada, randomUUID()], true],
    ['the entry', 'REFERENCE', (ada) => ada, false],
    ['a list of it', 'REFERENCES', (ada) => [ada, ada.toUpperCase()], false],
    ['no entries', 'REFERENCES', () => [], false],
    ['what does not fit', 'REFERENCE', () => [randomUUID()], false],
    ['what does not fit a list', 'REFERENCES', () => randomUUID(), false],
    ['a list that does not fit', 'REFERENCES', () => [randomUUID(), 'ada'], false],
    ['a slug', 'REFERENCE', () => 'ada', false],
    ['a number', 'REFERENCE', () => 5, false],
    ['an object', 'REFERENCE', () => ({ id: randomUUID() }), false],
    ['null', 'REFERENCES', () => null, false],
  ])(
    'a field can become a reference only if its values name entries of the channel: %s',
    async (_what, type, value, isInTheWay) => {
      const { db, master, ada, notes } = await prepare();
      for (let index = 0; index < 3; index += 1) await buildEntry(db, notes, { data: { author: value(ada.id) } });
      const answer = await declare(master, [field({ type })]);
      if (!isInTheWay) expectData(answer);
      else {
        expectRefusal(answer, 'CONFLICT', ['author']);
        const message = "entries hold ids that name no entry of the field's channel: 3";
        expect(answer.errors?.[0]?.extensions.errors).toEqual([{ field: 'author', code: 'no_such_entry', message }]);
        const { data } = await master.gql('{ channel(id: "notes") { fields { name } } }');
        expect(data).toEqual({ channel: { fields: [] } });
      }
    },
  );

  test('stored values are checked if a reference field is added again, retyped or led elsewhere, and not if it stays', async () => {
    const { db, master, ada, notes, site } = await prepare();
    const { id } = await buildEntry(db, notes, { data: { author: ada.id } });
    const other = await buildChannel(db, site.id, { id: 'others' });
    await buildEntry(db, other, {});
    expectData(await declare(master, [field()]));
    expectRefusal(await declare(master, [field({ channel: 'others' })]), 'CONFLICT', ['author']);
    expectData(await declare(master, [field({ type: 'REFERENCES' })]));
    expectData(await declare(master, [field({ label: 'Author' })]));
    expectData(await declare(master, [{ name: 'text', type: 'STRING' }]));
    expectData(await declare(master, [field()]));
    const read = async () => (await master.rest('GET', `/channels/notes/entries/${id}`)).body;
    expect(await read()).toMatchObject({ author: { id: ada.id } });
    await master.rest('DELETE', '/channels/people/entries/ada');
    expectData(await declare(master, [field({ hint: 'Who wrote it' })]));
    expect(await read()).toMatchObject({ author: null });
    expectData(await declare(master, [{ name: 'author', type: 'STRING' }]));
    expect(await read()).toMatchObject({ author: ada.id });
    expectRefusal(await declare(master, [field()]), 'CONFLICT', ['author']);
    // What is in the way can be taken out of it.
    await master.rest('PATCH', `/channels/notes/entries/${id}`, { body: { author: null } });
    expectData(await declare(master, [field()]));
  });
});

test('stored values that are no reference read as null, are kept, and fail no list', async () => {
  const { db, master, notes, ada } = await prepare();
  for (const author of ['ada', 5, [ada.id], { id: ada.id }, null]) await buildEntry(db, notes, { data: { author } });
  expectData(await declare(master, [field()]));
  const { status, body } = await master.rest<object[]>('GET', '/channels/notes/entries?include=author');
  expect([status, body.length]).toEqual([200, 5]);
  for (const entry of body) expect(entry).toMatchObject({ author: null });
  const query = '{ entries(channel: "notes") { nodes { fields reference(field: "author") { id } } } }';
  const { entries } = expectData(await master.gql<{ entries: { nodes: object[] } }>(query));
  expect(entries.nodes).toEqual(entries.nodes.map(() => ({ fields: { author: null }, reference: null })));
  expectData(await declare(master, [{ name: 'author', type: 'JSON' }]));
  const again = await master.rest<{ author: unknown }[]>('GET', '/channels/notes/entries?sort=created_at');
  expect(again.body.map(({ author }) => author)).toEqual(['ada', 5, [ada.id], { id: ada.id }, null]);
});
