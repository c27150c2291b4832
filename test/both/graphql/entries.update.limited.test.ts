// What an update answers to a writer who could not read the entry: no more than the writer brought (docs/contract.md §3).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { entrySelection, expectData, expectRefusal, type GraphqlEntry } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const secret = { title: 'Secret', secret: 'x', note: 'y' };

/** A site whose channel `box` everyone may write to, with the entry `one`. */
async function buildBox(entry: Parameters<typeof buildEntry>[2], channel: Parameters<typeof buildChannel>[2] = {}) {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const box = await buildChannel(db, site.id, { id: 'box', updateScope: 'public', ...channel });
  await buildEntry(db, box, { slug: 'one', owner: 'ada', data: secret, ...entry });
  const { session: ada } = await buildCustomer(db, site.id, { id: 'ada' });
  const { session: bob } = await buildCustomer(db, site.id, { id: 'bob' });
  const { token: user } = await buildUser(db, { memberOf: [site.id] });
  return { site, ada, bob, user };
}

function update(caller: Caller, input: Record<string, unknown>, useAcl = false) {
  const mutation = `mutation ($input: EntryInput!, $useAcl: Boolean!) {
    updateEntry(channel: "box", id: "one", input: $input, useAcl: $useAcl) ${entrySelection}
  }`;
  return caller.gql<{ updateEntry: GraphqlEntry }>(mutation, { input, useAcl });
}

const hidden = { acl: { '*': { read: false }, users: { read: false } } };
const limited = { titleFieldValue: null, acl: null, owner: null, fields: { note: 'new' } };

describe('limited', () => {
  test('for whoever access control keeps from reading, with each kind of token', async () => {
    const { site, bob, user } = await buildBox({ acl: hidden.acl }, { readScope: 'public' });
    // Each is stored, though it changes nothing from the second on: a version that stays would tell that.
    let version = 1;
    for (const [credentials, useAcl] of [
      [{ token: site.public }, false],
      [{ token: site.public, session: bob }, false],
      [{ token: user, site: site.id }, false],
      [{ token: user, site: site.id, session: bob }, false],
      [{ token: site.master }, true],
      [{ token: site.master, session: bob }, true],
    ] as const) {
      const { updateEntry: entry } = expectData(
        await update(as(app, credentials), { fields: { note: 'new' } }, useAcl),
      );
      expect([credentials, entry]).toEqual([
        credentials,
        {
          ...limited,
          id: expect.any(String),
          shortId: expect.any(String),
          slug: 'one',
          url: expect.stringMatching(/^http/),
          channel: { id: 'box' },
          version: (version += 1),
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
          status: 'PUBLISHED',
          publishAt: null,
        },
      ]);
    }
  });

  test.each([
    ['a draft', { status: 'draft' }],
    ['what is published later', { publishAt: new Date(Date.now() + 3_600_000) }],
  ] as const)('for a public token that publication keeps from %s', async (_name, publication) => {
    const { site, bob } = await buildBox(publication, { publishable: true });
    for (const credentials of [{ token: site.public }, { token: site.public, session: bob }]) {
      const { updateEntry: entry } = expectData(await update(as(app, credentials), { fields: { note: 'new' } }));
      expect(entry).toMatchObject({ ...limited, status: 'DRAFT' });
      expect(Object.keys(entry.fields)).toEqual(['note']);
    }
  });

  test('a public token’s own acl and owner are ignored, and not answered', async () => {
    const { site } = await buildBox(hidden);
    const input = { fields: { note: 'new' }, owner: 'bob', acl: [{ actor: '*', read: true }] };
    const { updateEntry: entry } = expectData(await update(as(app, { token: site.public }), input));
    expect(entry).toMatchObject(limited);
    const stored = await as(app, { token: site.master }).gql<{ entry: GraphqlEntry }>(
      '{ entry(channel: "box", id: "one") { owner acl { actor read } } }',
    );
    const acl = Object.keys(hidden.acl).map((actor) => ({ actor, read: false }));
    expect(stored.data.entry.owner).toBe('ada');
    expect(stored.data.entry.acl).toEqual(expect.arrayContaining(acl));
  });

  test('a checked master token gets back the acl and the owner that it sent, and no others', async () => {
    const { site } = await buildBox(hidden);
    const master = as(app, { token: site.master });
    const owned = expectData(await update(master, { owner: 'eve' }, true)).updateEntry;
    expect(owned).toMatchObject({ owner: 'eve', acl: null, titleFieldValue: null, fields: {} });
    const acl = [{ actor: '*', create: null, read: false, update: null, delete: null }];
    const ruled = expectData(await update(master, { acl }, true)).updateEntry;
    expect(ruled).toMatchObject({ owner: null, acl, titleFieldValue: null, fields: {} });
  });

  test('an input that sets nothing shows nothing', async () => {
    const { site } = await buildBox(hidden);
    for (const input of [{}, { fields: {} }, { fields: null }]) {
      const { updateEntry: entry } = expectData(await update(as(app, { token: site.public }), input));
      expect(entry).toMatchObject({ titleFieldValue: null, acl: null, owner: null, version: 1 });
      expect(entry.fields).toEqual({});
    }
  });

  test('no slug is made of a title that the writer may not read', async () => {
    const { site } = await buildBox(hidden);
    const visitor = as(app, { token: site.public });
    const kept = await update(visitor, { slug: null });
    expect(JSON.stringify([kept.data, kept.errors])).not.toMatch(/secret/i);
    const own = await update(visitor, { slug: null, fields: { title: 'Mine' } });
    expect(expectData(own).updateEntry).toMatchObject({ slug: 'mine', fields: { title: 'Mine' } });
  });

  test('an update that grants its writer to read is answered as it was before', async () => {
    const { site } = await buildBox(hidden);
    const acl = [{ actor: '*', create: null, read: true, update: null, delete: null }];
    const { updateEntry: entry } = expectData(await update(as(app, { token: site.master }), { acl }, true));
    expect(entry).toMatchObject({ acl, owner: null, titleFieldValue: null, fields: {} });
  });
});

describe('whole', () => {
  test('for the owner, and for whoever could read the entry', async () => {
    const { site, ada, bob, user } = await buildBox({ status: 'draft' }, { publishable: true });
    for (const credentials of [
      { token: site.public, session: ada },
      { token: user, site: site.id, session: bob },
      { token: site.master },
    ]) {
      const { updateEntry: entry } = expectData(await update(as(app, credentials), { fields: { note: 'new' } }));
      expect(entry).toMatchObject({ titleFieldValue: 'Secret', owner: 'ada', acl: [] });
      expect(entry.fields).toEqual({ ...secret, note: 'new' });
    }
  });

  test('for a public token that could read it, but for acl and owner', async () => {
    const { site } = await buildBox({});
    const { updateEntry: entry } = expectData(
      await update(as(app, { token: site.public }), { fields: { note: 'new' } }),
    );
    expect(entry).toMatchObject({ titleFieldValue: 'Secret', acl: null, owner: null });
    expect(entry.fields).toEqual({ ...secret, note: 'new' });
  });
});

test('a refused input tells nothing of the entry', async () => {
  const { site } = await buildBox(hidden);
  const answer = await update(as(app, { token: site.public }), { fields: { _a: 1, note: 'new' } });
  expectRefusal(answer, 'BAD_USER_INPUT', ['_a']);
  expect(JSON.stringify(answer.errors)).not.toMatch(/secret|ada/i);
});
