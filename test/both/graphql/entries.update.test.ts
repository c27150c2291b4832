// updateEntry (docs/contract.md §3 to §5, §7).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite } from '../../support/build.ts';
import { entrySelection, expectData, expectRefusal, type GraphqlEntry } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

interface Options {
  readonly id?: string;
  readonly ifVersion?: number | null;
  readonly useAcl?: boolean;
}

const mutation = `mutation ($id: ID!, $input: EntryInput!, $ifVersion: Int, $useAcl: Boolean! = false) {
  updateEntry(channel: "articles", id: $id, input: $input, ifVersion: $ifVersion, useAcl: $useAcl) ${entrySelection}
}`;

function update(caller: Caller, input: Record<string, unknown>, { id = 'one', ...options }: Options = {}) {
  return caller.gql<{ updateEntry: GraphqlEntry }>(mutation, { id, input, ...options });
}

/** A site with the entry `one` of the channel `articles`. */
async function buildOne(entry: Parameters<typeof buildEntry>[2], channel: Parameters<typeof buildChannel>[2] = {}) {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const articles = await buildChannel(db, site.id, { id: 'articles', ...channel });
  const one = await buildEntry(db, articles, { slug: 'one', ...entry });
  return { site, one, articles, master: as(app, { token: site.master }) };
}

describe('allowed', () => {
  test('members present are set, null clears, absent ones stay', async () => {
    const { master } = await buildOne({ owner: 'ada', data: { title: 'One', year: 1927, note: 'x' } });
    const changed = expectData(await update(master, { fields: { year: 1928, note: null } })).updateEntry;
    expect(changed).toMatchObject({ version: 2, slug: 'one', owner: 'ada', titleFieldValue: 'One' });
    expect({ note: null, ...changed.fields }).toEqual({ title: 'One', year: 1928, note: null });
    const cleared = expectData(await update(master, { owner: null, fields: null })).updateEntry;
    expect(cleared).toMatchObject({ version: 3, owner: null, titleFieldValue: 'One' });
  });

  test('acl and nested values are replaced whole; acl: null removes all rules', async () => {
    const { master } = await buildOne({
      acl: { ada: { read: true }, bob: { read: true } },
      data: { a: { b: 1, c: 2 } },
    });
    const acl = [{ actor: 'ada', read: false }];
    const changed = expectData(await update(master, { acl, fields: { a: { d: 3 } } })).updateEntry;
    expect(changed.acl).toEqual([{ actor: 'ada', create: null, read: false, update: null, delete: null }]);
    expect(changed.fields).toEqual({ a: { d: 3 } });
    expect(expectData(await update(master, { acl: null })).updateEntry.acl).toEqual([]);
  });

  test('what was read can be sent back, and changes nothing', async () => {
    const { master } = await buildOne({ owner: 'ada', acl: { bob: { read: true } }, data: { title: 'One' } });
    const { data } = await master.gql<{ entry: GraphqlEntry }>(
      `{ entry(channel: "articles", id: "one") ${entrySelection} }`,
    );
    const { slug, fields, status, publishAt, acl, owner } = data.entry;
    const answer = await update(master, { slug, fields, status, publishAt, acl, owner });
    expect(expectData(answer).updateEntry).toEqual(data.entry);
  });

  test('an entry goes by its id, its short id and its slug', async () => {
    const { master, one } = await buildOne({ data: { n: 0 } });
    for (const [n, id] of [one.id, one.shortId, one.slug].entries()) {
      expect(expectData(await update(master, { fields: { n: n + 1 } }, { id })).updateEntry).toMatchObject({
        id: one.id,
        version: n + 2,
        fields: { n: n + 1 },
      });
    }
  });

  test('ifVersion that holds, and none', async () => {
    const { master } = await buildOne({});
    expect(expectData(await update(master, { fields: { n: 1 } }, { ifVersion: 1 })).updateEntry.version).toBe(2);
    expect(expectData(await update(master, { fields: { n: 2 } }, { ifVersion: null })).updateEntry.version).toBe(3);
  });

  test('a write by another token than a master one makes a draft in a publishable channel', async () => {
    const { site } = await buildOne({ status: 'published' }, { publishable: true, updateScope: 'public' });
    const answer = await update(as(app, { token: site.public }), { status: 'PUBLISHED', fields: { n: 1 } });
    expect(expectData(answer).updateEntry).toMatchObject({ status: 'DRAFT', publishAt: null });
  });

  test('the answer to a writer who could not read has what was sent, and nothing else of what the entry holds', async () => {
    const hidden = { acl: { '*': { read: false } }, owner: 'ada', data: { title: 'Secret', secret: 'x', note: 'y' } };
    const { site } = await buildOne(hidden, { updateScope: 'public' });
    const answer = await update(as(app, { token: site.public }), { fields: { note: 'new' } });
    const { updateEntry: entry } = expectData(answer);
    expect(entry).toMatchObject({
      slug: 'one',
      titleFieldValue: null,
      acl: null,
      owner: null,
      fields: { note: 'new' },
    });
    expect(Object.keys(entry.fields)).toEqual(['note']);
    expect(JSON.stringify(answer.data)).not.toMatch(/secret/i);
  });

  test('20 at once, each of a field of its own: no field is lost', async () => {
    const { master } = await buildOne({});
    const names = Array.from({ length: 20 }, (_, index) => `f${index}`);
    const answers = await Promise.all(names.map((name) => update(master, { fields: { [name]: 1 } })));
    for (const answer of answers) expectData(answer);
    const { data } = await master.gql<{ entry: GraphqlEntry }>(
      `{ entry(channel: "articles", id: "one") ${entrySelection} }`,
    );
    expect(data.entry.version).toBe(21);
    expect(Object.keys(data.entry.fields).sort()).toEqual(names.sort());
  });
});

describe('denied', () => {
  test('FORBIDDEN where the caller may read it, NOT_FOUND where not, alike with an absent one', async () => {
    const { site, articles } = await buildOne({});
    await buildEntry(app.database.prisma, articles, { slug: 'hidden', acl: { '*': { read: false } } });
    const { session } = await buildCustomer(app.database.prisma, site.id);
    for (const [credentials, useAcl] of [
      [{ token: site.public }, false],
      [{ token: site.public, session }, false],
      [{ token: site.master }, true],
      [{ token: site.master, session }, true],
    ] as const) {
      const caller = as(app, credentials);
      expectRefusal(await update(caller, { slug: 'Not a slug' }, { useAcl }), 'FORBIDDEN');
      const hidden = await update(caller, {}, { id: 'hidden', useAcl });
      const absent = await update(caller, {}, { id: 'absent', useAcl });
      expectRefusal(hidden, 'NOT_FOUND');
      const told = (answer: typeof hidden): unknown =>
        answer.errors?.map(({ extensions, ...error }) => ({ ...error, ...extensions, requestId: '' }));
      expect(told(hidden)).toEqual(told(absent));
    }
  });
});

describe('invalid', () => {
  const inputs: [input: Record<string, unknown> & { fields?: object }, fields: string[]][] = [
    [{ slug: 'Not a slug' }, ['slug']],
    [{ status: null }, ['_status']],
    [{ status: 'SCHEDULED' }, ['_publish_at']],
    [{ publishAt: 'x' }, ['_publish_at']],
    [{ acl: [{ actor: 'role:' }] }, ['_acl']],
    [{ owner: 'o'.repeat(256) }, ['_owner']],
    [{ fields: { updated_at: 1 } }, ['updated_at']],
  ];
  test.each(inputs)('%j is BAD_USER_INPUT, and nothing is stored', async (input, fields) => {
    const { master } = await buildOne({ data: { title: 'One' } });
    const more = { ...input, fields: { ...input.fields, n: 1 } };
    expectRefusal(await update(master, more), 'BAD_USER_INPUT', fields);
    const { data } = await master.gql<{ entry: GraphqlEntry }>(
      '{ entry(channel: "articles", id: "one") { version fields } }',
    );
    expect(data.entry).toEqual({ version: 1, fields: { title: 'One' } });
  });

  test('another version is PRECONDITION_FAILED, before the input is judged', async () => {
    const { master } = await buildOne({});
    for (const ifVersion of [0, 2, -1, 2147483647]) {
      expectRefusal(await update(master, { slug: 'Not a slug' }, { ifVersion }), 'PRECONDITION_FAILED');
    }
    expectRefusal(await update(master, {}, { id: 'absent', ifVersion: 7 }), 'NOT_FOUND');
  });

  test('a slug that is taken is CONFLICT', async () => {
    const { master, articles } = await buildOne({});
    await buildEntry(app.database.prisma, articles, { slug: 'two' });
    expectRefusal(await update(master, { slug: 'two' }), 'CONFLICT', ['slug']);
  });
});
