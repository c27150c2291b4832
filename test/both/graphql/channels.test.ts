// Channels: reading them, with every token, and managing them, with master tokens (docs/contract.md §3, §4, §6, §7).
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildCustomer, buildSite, buildUser, type TestSite } from '../../support/build.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const whole =
  '{ id name description publishable acl { create read update delete } titleField language typeName layout fields { name } }';

/** What a new channel is without settings. */
const defaults = {
  name: 'articles',
  description: null,
  publishable: false,
  acl: { create: 'NONE', read: 'PUBLIC', update: 'NONE', delete: 'NONE' },
  titleField: 'title',
  language: 'english',
  typeName: null,
  layout: null,
  fields: [],
};

function create(caller: Caller, input: Record<string, unknown>) {
  return caller.gql(`mutation ($input: ChannelInput!) { createChannel(input: $input) ${whole} }`, { input });
}

function update(caller: Caller, input: Record<string, unknown>, id = 'articles') {
  const mutation = `mutation ($id: ID!, $input: ChannelPatch!) { updateChannel(id: $id, input: $input) ${whole} }`;
  return caller.gql(mutation, { id, input });
}

function remove(caller: Caller, id: string, confirm: string) {
  return caller.gql('mutation ($id: ID!, $confirm: ID!) { deleteChannel(id: $id, confirm: $confirm) }', {
    id,
    confirm,
  });
}

async function buildMaster(): Promise<{ site: TestSite; master: Caller }> {
  const site = await buildSite(app.database.prisma);
  return { site, master: as(app, { token: site.master }) };
}

describe('allowed: reading', () => {
  test('each token reads a channel’s id, name, publishable, titleField and fields; master and user tokens the rest', async () => {
    const db = app.database.prisma;
    const { site, master } = await buildMaster();
    const { token: user } = await buildUser(db, { memberOf: [site.id] });
    const { session } = await buildCustomer(db, site.id);
    const acl = { create: 'SHARED', read: 'PRIVATE', update: 'PUBLIC', delete: 'NONE' };
    const texts = { name: 'Articles', description: 'x'.repeat(10_000), titleField: 'Name of the thing' };
    const input = { id: 'articles', ...texts, publishable: true, acl };
    expectData(await create(master, { ...input, language: 'german', typeName: 'Article' }));
    const full = { ...input, language: 'german', typeName: 'Article', layout: null, fields: [] };
    const open = { ...full, description: null, acl: null, language: null, typeName: null };
    for (const [credentials, expected] of [
      [{ token: site.master }, full],
      [{ token: user, site: site.id }, full],
      [{ token: site.public, session }, open],
    ] as const) {
      const answer = await as(app, credentials).gql(`{ channel(id: "articles") ${whole} channels ${whole} }`);
      expect(expectData(answer)).toEqual({ channel: expected, channels: [expected] });
    }
    const nobody = as(app, { token: site.public });
    const answer = await nobody.gql(`{ channel(id: "articles") ${whole} channels ${whole} }`);
    expect(expectData(answer)).toEqual({ channel: null, channels: [] });
  });
});

describe('allowed: managing with a master token', () => {
  test('createChannel needs only an id, and the channel is usable at once', async () => {
    const { site, master } = await buildMaster();
    expect(expectData(await create(master, { id: 'articles' }))).toEqual({
      createChannel: { id: 'articles', ...defaults },
    });
    const nulls = { name: null, description: null, titleField: null, language: null, publishable: null, fields: null };
    for (const [id, acl] of [
      ['n-u_l', null],
      ['n-1', { create: null, read: null, update: null, delete: null }],
    ] as const) {
      const { createChannel } = expectData(await create(master, { id, ...nulls, acl }));
      expect(createChannel).toEqual({ ...defaults, id, name: id });
    }
    expect((await as(app, { token: site.public }).rest('GET', '/channels/articles/entries')).status).toBe(200);
  });

  test('updateChannel sets the sent settings and leaves the others, from the next request on', async () => {
    const { site, master } = await buildMaster();
    expectData(await create(master, { id: 'articles', description: 'All' }));
    const visitor = as(app, { token: site.public });
    expect((await visitor.rest('POST', '/channels/articles/entries', { body: {} })).status).toBe(403);
    const input = { name: 'Articles', acl: { create: 'PUBLIC', read: null } };
    expect(expectData(await update(master, input))['updateChannel']).toEqual({
      id: 'articles',
      ...defaults,
      name: 'Articles',
      description: 'All',
      acl: { ...defaults.acl, create: 'PUBLIC' },
    });
    expect((await visitor.rest('POST', '/channels/articles/entries', { body: {} })).status).toBe(201);
    const cleared = expectData(await update(master, { description: null, publishable: true, titleField: 'name' }));
    expect(cleared['updateChannel']).toMatchObject({ name: 'Articles', description: null, publishable: true });
  });
});

test('deleteChannel deletes a channel with its id as confirm', async () => {
  const { master } = await buildMaster();
  expectData(await create(master, { id: 'articles' }));
  expect(expectData(await remove(master, 'articles', 'articles'))).toEqual({ deleteChannel: 'articles' });
  // Nor is anything of it in a channel of its id that is made anew: V18, test/once/security/advisories.tenants.test.ts.
  expect(expectData(await master.gql('{ channel(id: "articles") { id } }'))).toEqual({ channel: null });
});

describe('invalid', () => {
  test('createChannel with an id of the site is CONFLICT, and with one of another site succeeds', async () => {
    const { master } = await buildMaster();
    const { master: other } = await buildMaster();
    expectData(await create(master, { id: 'articles' }));
    expectRefusal(await create(master, { id: 'articles', name: 'Again' }), 'CONFLICT', ['id']);
    expectData(await create(other, { id: 'articles' }));
  });

  // Every value of each: test/pure/unit/inputs.management.test.ts.
  test('invalid settings of a channel are BAD_USER_INPUT', async () => {
    const { master } = await buildMaster();
    expectData(await create(master, { id: 'articles' }));
    for (const id of ['', 'A', 'a/b']) expectRefusal(await create(master, { id }), 'BAD_USER_INPUT', ['id']);
    const input = { name: 'x'.repeat(256), description: 'x'.repeat(10_001), titleField: 'slug', language: 'x' };
    expectRefusal(await create(master, { id: 'A', ...input }), 'BAD_USER_INPUT', ['id', ...Object.keys(input)]);
    expectRefusal(await update(master, input), 'BAD_USER_INPUT', Object.keys(input));
    const nulls = { name: null, publishable: null, acl: null, titleField: null, language: null, fields: null };
    const answer = await update(master, nulls);
    expectRefusal(answer, 'BAD_USER_INPUT', Object.keys(nulls));
    for (const { message } of answer.errors?.[0]?.extensions.errors ?? []) expect(message).toBe('must not be null');
    expectRefusal(await remove(master, 'articles', 'other'), 'BAD_USER_INPUT');
    const { channel } = expectData(await master.gql(`{ channel(id: "articles") ${whole} }`));
    expect(channel).toEqual({ id: 'articles', ...defaults });
  });
});
