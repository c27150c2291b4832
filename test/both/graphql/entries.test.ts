// entry, createEntry, updateEntry and deleteEntry: what is this door's own (docs/contract.md §3 to §5, §7). The operations
// themselves are REST's too, and tried there; test/both/model holds both doors to one model, for every kind of caller.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { entrySelection, expectData, expectRefusal, type GraphqlEntry } from '../../support/expect.ts';
import { buildCallers, buildOne, buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

interface Options {
  readonly id?: string;
  readonly ifVersion?: number | null;
  readonly useAcl?: boolean;
}

const fetchQuery = (id: string): string => `{ entry(channel: "articles", id: "${id}") ${entrySelection} }`;

function create(caller: Caller, input: Record<string, unknown>, useAcl = false) {
  const mutation = `mutation ($input: EntryInput!, $useAcl: Boolean!) {
    createEntry(channel: "articles", input: $input, useAcl: $useAcl) ${entrySelection}
  }`;
  return caller.gql<{ createEntry: GraphqlEntry }>(mutation, { input, useAcl });
}

function update(caller: Caller, input: Record<string, unknown>, { id = 'one', ...options }: Options = {}) {
  const mutation = `mutation ($id: ID!, $input: EntryInput!, $ifVersion: Int, $useAcl: Boolean! = false) {
    updateEntry(channel: "articles", id: $id, input: $input, ifVersion: $ifVersion, useAcl: $useAcl) ${entrySelection}
  }`;
  return caller.gql<{ updateEntry: GraphqlEntry }>(mutation, { id, input, ...options });
}

function remove(caller: Caller, id: string, options: Omit<Options, 'id'> = {}) {
  const mutation = `mutation ($id: ID!, $ifVersion: Int, $useAcl: Boolean! = false) {
    deleteEntry(channel: "articles", id: $id, ifVersion: $ifVersion, useAcl: $useAcl)
  }`;
  return caller.gql(mutation, { id, ...options });
}

describe('entry', () => {
  test('an entry is fetched by its id, its short id and its slug, with equal answers', async () => {
    const { db, channel, master } = await buildScene(app);
    const createdAt = new Date('2021-02-03T04:05:06.007Z');
    const values = { owner: 'ada', acl: { ada: { read: true } }, data: { title: 5, n: { a: null } } };
    const one = await buildEntry(db, channel, { slug: 'one', createdAt, ...values });
    for (const name of [one.id, one.shortId, one.slug]) {
      expect(expectData(await master.gql<{ entry: GraphqlEntry }>(fetchQuery(name))).entry).toEqual({
        id: one.id,
        shortId: one.shortId,
        slug: 'one',
        url: `${app.url}/channels/articles/entries/${one.id}`,
        channel: { id: 'articles' },
        version: 1,
        createdAt: '2021-02-03T04:05:06.007Z',
        updatedAt: '2021-02-03T04:05:06.007Z',
        titleFieldValue: '5',
        status: 'PUBLISHED',
        publishAt: null,
        acl: [{ actor: 'ada', create: null, read: true, update: null, delete: null }],
        owner: 'ada',
        fields: { title: 5, n: { a: null } },
      });
    }
  });

  test('acl and owner are null for all but master and user tokens and the owner, also under an alias', async () => {
    const scene = await buildScene(app);
    await buildEntry(scene.db, scene.channel, { slug: 'one', owner: 'ada', acl: { '*': { read: true } } });
    const callers = await buildCallers(scene);
    const query = `fragment Secrets on Entry { rules: acl { who: actor } whose: owner }
      { it: entry(channel: "articles", id: "one") { ...Secrets ... on Entry { acl { read } owner } } }`;
    for (const [name, credentials] of Object.entries(callers)) {
      const { it } = expectData(await as(app, credentials).gql(query));
      const shown = { rules: [{ who: '*' }], acl: [{ read: true }], whose: 'ada', owner: 'ada' };
      const hidden = { rules: null, acl: null, whose: null, owner: null };
      expect([name, it]).toEqual([name, name === 'public' || name === 'bob' ? hidden : shown]);
    }
  });
});

describe('createEntry', () => {
  test('createEntry answers the whole entry, and stores it', async () => {
    const { master } = await buildScene(app);
    const fields = { title: 'Hello World', year: 1927, a: { b: [null, 1.5] } };
    const answer = await create(master, { fields });
    const { createEntry: entry } = expectData(answer);
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      shortId: expect.stringMatching(/^(?=.*[A-Z])[0-9A-Za-z]{10}$/),
      slug: 'hello-world',
      url: `${app.url}/channels/articles/entries/${entry.id}`,
      channel: { id: 'articles' },
      version: 1,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: entry.createdAt,
      titleFieldValue: 'Hello World',
      status: 'PUBLISHED',
      publishAt: null,
      acl: [],
      owner: null,
      fields,
    });
    const fetched = await master.gql(fetchQuery(entry.id));
    expect(fetched.data['entry']).toEqual(entry);
  });

  test('createEntry by a master token sets status, publishAt, acl, owner and slug, in variables and literals', async () => {
    const { master } = await buildScene(app, { publishable: true, createScope: 'public' });
    const expected = {
      slug: 'own',
      status: 'SCHEDULED',
      publishAt: '2030-12-31T22:00:00.000Z',
      owner: 'whoever',
      acl: [
        { actor: 'ada', create: false, read: true, update: null, delete: null },
        { actor: 'role:editor', create: null, read: null, update: null, delete: true },
      ],
    };
    const literal = `mutation { createEntry(channel: "articles", input: {
      slug: "own", status: SCHEDULED, publishAt: "2031-01-01T00:00:00+02:00", owner: "whoever",
      acl: [{ actor: "ada", read: true, create: false }, { actor: "role:editor", delete: true, read: null }]
    }) ${entrySelection} }`;
    const first = expectData(await master.gql<{ createEntry: GraphqlEntry }>(literal)).createEntry;
    expect(first).toMatchObject(expected);
    const other = { ...expected, slug: 'other' };
    expect(expectData(await create(master, other, true)).createEntry).toMatchObject(other);
  });

  test.each([
    [true, 'DRAFT'],
    [false, 'PUBLISHED'],
  ])(
    'createEntry without members, in a channel with publishable %s, makes an entry with status %s',
    async (publishable, status) => {
      const { master } = await buildScene(app, { publishable });
      const unset = { publishAt: null, acl: [], owner: null, fields: {}, titleFieldValue: null };
      for (const input of [{}, { fields: null }, { fields: {}, slug: null, publishAt: null, acl: null, owner: null }]) {
        expect(expectData(await create(master, input)).createEntry).toMatchObject({ status, ...unset });
      }
    },
  );

  test('several createEntry in one request are done in order, each on its own', async () => {
    const { master } = await buildScene(app);
    const one = 'createEntry(channel: "articles", input: { fields: { title: "Same" } }) { slug }';
    const answer = await master.gql(`mutation { a: ${one} b: ${one} c: ${one} }`);
    expect(expectData(answer)).toEqual({ a: { slug: 'same' }, b: { slug: 'same-2' }, c: { slug: 'same-3' } });
  });

  // What else fits no entry: test/once/rest/entries.create.invalid.test.ts. These can be said at this door alone, or are
  // one example of each member.
  const inputs: [input: Record<string, unknown>, fields: string[]][] = [
    [{ slug: 'Not a slug' }, ['slug']],
    [{ status: null }, ['_status']],
    [{ status: 'SCHEDULED' }, ['_publish_at']],
    [{ publishAt: 'tomorrow', owner: 'o'.repeat(256) }, ['_publish_at', '_owner']],
    [{ acl: [{ actor: 'a', read: true }, { actor: 'a' }] }, ['_acl']],
    [{ acl: [{ actor: 'a' }, { actor: 'id:a' }] }, ['_acl']],
    [{ fields: { _mine: 1 } }, ['_mine']],
    [{ fields: { slug: 'x' } }, ['slug']],
    [{ fields: { id: 1 } }, ['id']],
    [{ fields: { _acl: {} } }, ['_acl']],
    [{ fields: { created_at: 1, title: 'x' } }, ['created_at']],
  ];
  test.each(inputs)('createEntry with %j is BAD_USER_INPUT with the names that REST has', async (input, fields) => {
    const { master } = await buildScene(app, { publishable: true });
    expectRefusal(await create(master, input), 'BAD_USER_INPUT', fields);
    expect((await master.gql('{ entries(channel: "articles") { totalCount } }')).data).toEqual({
      entries: { totalCount: 0 },
    });
  });
});

describe('updateEntry', () => {
  test('updateEntry sets sent members, clears null ones and leaves absent ones', async () => {
    const { master } = await buildOne(app, { owner: 'ada', data: { title: 'One', year: 1927, note: 'x' } });
    const changed = expectData(await update(master, { fields: { year: 1928, note: null } })).updateEntry;
    expect(changed).toMatchObject({ version: 2, slug: 'one', owner: 'ada', titleFieldValue: 'One' });
    expect({ note: null, ...changed.fields }).toEqual({ title: 'One', year: 1928, note: null });
    const cleared = expectData(await update(master, { owner: null, fields: null })).updateEntry;
    expect(cleared).toMatchObject({ version: 3, owner: null, titleFieldValue: 'One' });
  });

  test('updateEntry replaces the whole acl, and acl: null removes all rules', async () => {
    const { master } = await buildOne(app, { acl: { ada: { read: true }, bob: { read: true } } });
    const changed = expectData(await update(master, { acl: [{ actor: 'ada', read: false }] })).updateEntry;
    expect(changed.acl).toEqual([{ actor: 'ada', create: null, read: false, update: null, delete: null }]);
    expect(expectData(await update(master, { acl: null })).updateEntry.acl).toEqual([]);
  });

  test('an answer that is sent back to updateEntry changes nothing', async () => {
    const { master } = await buildOne(app, { owner: 'ada', acl: { bob: { read: true } }, data: { title: 'One' } });
    const { data } = await master.gql<{ entry: GraphqlEntry }>(fetchQuery('one'));
    const { slug, fields, status, publishAt, acl, owner } = data.entry;
    const answer = await update(master, { slug, fields, status, publishAt, acl, owner });
    expect(expectData(answer).updateEntry).toEqual(data.entry);
  });

  test('updateEntry succeeds with the present ifVersion, and without one', async () => {
    const { master } = await buildOne(app, {});
    expect(expectData(await update(master, { fields: { n: 1 } }, { ifVersion: 1 })).updateEntry.version).toBe(2);
    expect(expectData(await update(master, { fields: { n: 2 } }, { ifVersion: null })).updateEntry.version).toBe(3);
  });

  test('updateEntry with another ifVersion is PRECONDITION_FAILED, even with invalid input', async () => {
    const { master } = await buildOne(app, {});
    for (const ifVersion of [0, 2, -1, 2147483647]) {
      expectRefusal(await update(master, { slug: 'Not a slug' }, { ifVersion }), 'PRECONDITION_FAILED');
    }
    expectRefusal(await update(master, {}, { id: 'absent', ifVersion: 7 }), 'NOT_FOUND');
  });
});

describe('the answer to a writer who could not read the entry', () => {
  const secret = { owner: 'ada', data: { title: 'Secret', secret: 'x', note: 'y' } };
  const hidden = { ...secret, acl: { '*': { read: false } } };
  const withheld = { titleFieldValue: null, acl: null, owner: null };

  // Who gets it: test/both/rest/access.answers.test.ts, and test/both/model with all callers.
  test('the answer to a writer who may not read the entry has the sent members, and null for the others', async () => {
    const { master, visitor } = await buildOne(app, hidden, { updateScope: 'public' });
    // Each is stored, though it changes nothing from the second on: a version that stays would tell that.
    for (const [caller, useAcl, version] of [
      [visitor, false, 2],
      [visitor, false, 3],
      [master, true, 4],
    ] as const) {
      const { updateEntry: entry } = expectData(await update(caller, { fields: { note: 'new' } }, { useAcl }));
      expect(entry).toEqual({
        ...withheld,
        id: expect.any(String),
        shortId: expect.any(String),
        slug: 'one',
        url: expect.stringMatching(/^http/),
        channel: { id: 'articles' },
        version,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        status: 'PUBLISHED',
        publishAt: null,
        fields: { note: 'new' },
      });
    }
  });

  test('the answer to a checked master token that may not read the entry has the acl and owner that it sent alone', async () => {
    const { master } = await buildOne(app, hidden, { updateScope: 'public' });
    const owned = expectData(await update(master, { owner: 'eve' }, { useAcl: true })).updateEntry;
    expect(owned).toMatchObject({ ...withheld, owner: 'eve', fields: {} });
    const acl = [{ actor: '*', create: null, read: false, update: null, delete: null }];
    const ruled = expectData(await update(master, { acl }, { useAcl: true })).updateEntry;
    expect(ruled).toMatchObject({ ...withheld, acl, fields: {} });
  });

  test('the answer to a writer who may not read the entry has no slug made from a hidden title', async () => {
    const { visitor } = await buildOne(app, hidden, { updateScope: 'public' });
    const kept = await update(visitor, { slug: null });
    expect(JSON.stringify([kept.data, kept.errors])).not.toMatch(/secret/i);
    const own = await update(visitor, { slug: null, fields: { title: 'Mine' } });
    expect(expectData(own).updateEntry).toMatchObject({ slug: 'mine', fields: { title: 'Mine' } });
  });
});

describe('deleteEntry', () => {
  test('deleteEntry by each name of the entry answers its id, and deletes it', async () => {
    const { db, channel, master } = await buildScene(app);
    for (const name of ['id', 'shortId', 'slug'] as const) {
      const entry = await buildEntry(db, channel);
      expect(expectData(await remove(master, entry[name]))).toEqual({ deleteEntry: entry.id });
      expectRefusal(await remove(master, entry[name]), 'NOT_FOUND');
    }
  });

  test('deleteEntry accepts the present ifVersion, and no other', async () => {
    const { db, channel, master } = await buildScene(app);
    await buildEntry(db, channel, { slug: 'one' });
    expectRefusal(await remove(master, 'one', { ifVersion: 2 }), 'PRECONDITION_FAILED');
    expectData(await remove(master, 'one', { ifVersion: 1 }));
  });
});

test('a caller who may not write gets FORBIDDEN for a readable entry, even with invalid input, else NOT_FOUND', async () => {
  const { db, channel, master, visitor } = await buildOne(app, {});
  await buildEntry(db, channel, { slug: 'hidden', acl: { '*': { read: false } } });
  for (const [caller, useAcl] of [
    [visitor, false],
    [master, true],
  ] as const) {
    expectRefusal(await create(caller, { slug: 'Not a slug' }, useAcl), 'FORBIDDEN');
    expectRefusal(await update(caller, { slug: 'Not a slug' }, { useAcl }), 'FORBIDDEN');
    expectRefusal(await remove(caller, 'one', { useAcl, ifVersion: 9 }), 'FORBIDDEN');
    for (const id of ['hidden', 'absent']) {
      expectRefusal(await update(caller, {}, { id, useAcl }), 'NOT_FOUND');
      expectRefusal(await remove(caller, id, { useAcl }), 'NOT_FOUND');
    }
  }
  expectRefusal(await visitor.gql('mutation { createEntry(channel: "nowhere", input: {}) { id } }'), 'NOT_FOUND');
  const { data } = await master.gql('{ entries(channel: "articles") { totalCount } }');
  expect(data).toEqual({ entries: { totalCount: 2 } });
});
