// createEntry (docs/contract.md §3 to §5, §7).
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

const mutation = `mutation ($channel: ID!, $input: EntryInput!, $useAcl: Boolean! = false) {
  createEntry(channel: $channel, input: $input, useAcl: $useAcl) ${entrySelection}
}`;

function create(caller: Caller, channel: string, input: Record<string, unknown>, useAcl = false) {
  return caller.gql<{ createEntry: GraphqlEntry }>(mutation, { channel, input, useAcl });
}

describe('allowed', () => {
  test('an entry is answered whole, and is there', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    const master = as(app, { token: site.master });
    const answer = await create(master, 'articles', {
      fields: { title: 'Hello World', year: 1927, a: { b: [null, 1.5] } },
    });
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
      fields: { title: 'Hello World', year: 1927, a: { b: [null, 1.5] } },
    });
    const fetched = await master.gql(`{ entry(channel: "articles", id: "${entry.id}") ${entrySelection} }`);
    expect(fetched.data['entry']).toEqual(entry);
  });

  test('a master token sets status, publishAt, acl, owner and slug; by literals, too', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'news', publishable: true, createScope: 'public' });
    const master = as(app, { token: site.master });
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
    const literal = `mutation { createEntry(channel: "news", input: {
      slug: "own", status: SCHEDULED, publishAt: "2031-01-01T00:00:00+02:00", owner: "whoever",
      acl: [{ actor: "ada", read: true, create: false }, { actor: "role:editor", delete: true, read: null }]
    }) ${entrySelection} }`;
    const first = expectData(await master.gql<{ createEntry: GraphqlEntry }>(literal)).createEntry;
    expect(first).toMatchObject(expected);
    const { id: _, ...input } = { ...expected, slug: 'other', id: '' };
    const second = expectData(await create(master, 'news', input, true)).createEntry;
    expect(second).toMatchObject({ ...expected, slug: 'other' });
  });

  test('nothing need be sent: a draft in a publishable channel, published in another', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'news', publishable: true });
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    const master = as(app, { token: site.master });
    for (const [channel, status] of [
      ['news', 'DRAFT'],
      ['articles', 'PUBLISHED'],
    ] as const) {
      for (const input of [{}, { fields: null }, { fields: {}, slug: null, publishAt: null, acl: null, owner: null }]) {
        const { createEntry: entry } = expectData(await create(master, channel, input));
        expect(entry).toMatchObject({
          status,
          publishAt: null,
          acl: [],
          owner: null,
          fields: {},
          titleFieldValue: null,
        });
      }
    }
  });

  test('other tokens’ status, publishAt, acl and owner are ignored', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    await buildChannel(db, site.id, { id: 'news', publishable: true, createScope: 'public' });
    const { session } = await buildCustomer(db, site.id, { id: 'ada' });
    const { token: user } = await buildUser(db, { memberOf: [site.id] });
    const input = { status: 'PUBLISHED', publishAt: 'nonsense', acl: [{ actor: '' }], owner: 'x'.repeat(300) };
    for (const [credentials, owner] of [
      [{ token: site.public }, null],
      [{ token: site.public, session }, 'ada'],
      [{ token: user, site: site.id }, null],
      [{ token: user, site: site.id, session }, 'ada'],
    ] as const) {
      const { createEntry: entry } = expectData(await create(as(app, credentials), 'news', input));
      const stored = await as(app, { token: site.master }).gql<{ entry: GraphqlEntry }>(
        `{ entry(channel: "news", id: "${entry.id}") ${entrySelection} }`,
      );
      expect(stored.data.entry).toMatchObject({ status: 'DRAFT', publishAt: null, acl: [], owner });
    }
  });

  test('several in one request are done one after another, and each stands alone', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    const one = 'createEntry(channel: "articles", input: { fields: { title: "Same" } }) { slug }';
    const answer = await as(app, { token: site.master }).gql(`mutation { a: ${one} b: ${one} c: ${one} }`);
    expect(expectData(answer)).toEqual({ a: { slug: 'same' }, b: { slug: 'same-2' }, c: { slug: 'same-3' } });
  });
});

describe('denied', () => {
  test.each([
    ['public', 'allowed', 'allowed'],
    ['shared', 'FORBIDDEN', 'allowed'],
    ['private', 'FORBIDDEN', 'allowed'],
    ['none', 'FORBIDDEN', 'FORBIDDEN'],
  ] as const)('by the scope %s: anonymous %s, customer %s', async (createScope, anonymous, customer) => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    await buildChannel(db, site.id, { id: 'posts', createScope });
    const { session } = await buildCustomer(db, site.id);
    const { token: user } = await buildUser(db, { memberOf: [site.id] });
    for (const [sessions, expected] of [
      [{}, anonymous],
      [{ session }, customer],
    ] as const) {
      const outcomes = await Promise.all([
        create(as(app, { token: site.public, ...sessions }), 'posts', {}),
        create(as(app, { token: user, site: site.id, ...sessions }), 'posts', {}),
        create(as(app, { token: site.master, ...sessions }), 'posts', {}, true),
      ]);
      const codes = outcomes.map(({ errors }) => errors?.[0]?.extensions.code ?? 'allowed');
      expect(codes).toEqual([expected, expected, expected]);
      expectData(await create(as(app, { token: site.master, ...sessions }), 'posts', {}));
    }
  });

  test('before the payload is judged', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    const answer = await create(as(app, { token: site.public }), 'articles', { slug: 'Not a slug' });
    expectRefusal(answer, 'FORBIDDEN');
  });

  test('an unknown channel is NOT_FOUND', async () => {
    const site = await buildSite(app.database.prisma);
    expectRefusal(await create(as(app, { token: site.master }), 'nowhere', {}), 'NOT_FOUND');
  });
});

describe('invalid', () => {
  const inputs: [input: Record<string, unknown>, fields: string[]][] = [
    [{ slug: 'Not a slug' }, ['slug']],
    [{ slug: 'count' }, ['slug']],
    [{ status: null }, ['_status']],
    [{ status: 'SCHEDULED' }, ['_publish_at']],
    [{ publishAt: '2031-01-01T00:00:00' }, ['_publish_at']],
    [{ publishAt: 'tomorrow' }, ['_publish_at']],
    [{ acl: [{ actor: '' }] }, ['_acl']],
    [{ acl: [{ actor: 'id:' }] }, ['_acl']],
    [
      {
        acl: [
          { actor: 'a', read: true },
          { actor: 'a', read: false },
        ],
      },
      ['_acl'],
    ],
    [{ acl: [{ actor: 'a' }, { actor: 'id:a' }] }, ['_acl']],
    [{ owner: 'o'.repeat(256) }, ['_owner']],
    [{ fields: { _mine: 1 } }, ['_mine']],
    [{ fields: { slug: 'x' } }, ['slug']],
    [{ fields: { id: 1 } }, ['id']],
    [{ fields: { _acl: {} } }, ['_acl']],
    [{ fields: { created_at: 1, title: 'x' } }, ['created_at']],
  ];
  test.each(inputs)('%j is BAD_USER_INPUT that names the member as REST does', async (input, fields) => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'news', publishable: true });
    const master = as(app, { token: site.master });
    expectRefusal(await create(master, 'news', input), 'BAD_USER_INPUT', fields);
    expect((await master.gql('{ entries(channel: "news") { totalCount } }')).data).toEqual({
      entries: { totalCount: 0 },
    });
  });

  test.each(['\u0000', '\ud800'])(
    'text that can’t be stored (%j) is BAD_USER_INPUT wherever it stands',
    async (text) => {
      const site = await buildSite(app.database.prisma);
      await buildChannel(app.database.prisma, site.id, { id: 'articles' });
      const texts = [{ slug: text }, { owner: text }, { fields: { a: [{ b: text }] } }, { fields: { [text]: 1 } }];
      for (const input of [...texts, { acl: [{ actor: text }] }]) {
        // Found in the variables before anything is executed.
        const { status, errors } = await create(as(app, { token: site.master }), 'articles', input);
        expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([400, ['BAD_USER_INPUT']]);
      }
    },
  );

  test('text that can’t be stored is refused in a literal, too', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    for (const input of ['{ slug: "\\u0000" }', '{ fields: { a: ["\\ud800"] } }', '{ acl: [{ actor: "\\u0000" }] }']) {
      const mutation_ = `mutation { createEntry(channel: "articles", input: ${input}) { id } }`;
      const { errors } = await as(app, { token: site.master }).gql(mutation_);
      const codes = errors?.map(({ extensions }) => extensions.code) ?? [];
      expect([input, codes]).toEqual([input, [expect.stringMatching(/^(BAD_USER_INPUT|GRAPHQL_PARSE_FAILED)$/)]]);
    }
    const { data } = await as(app, { token: site.master }).gql('{ entries(channel: "articles") { totalCount } }');
    expect(data).toEqual({ entries: { totalCount: 0 } });
  });

  test('a slug that is taken is CONFLICT that names the field', async () => {
    const site = await buildSite(app.database.prisma);
    const channel = await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    await buildEntry(app.database.prisma, channel, { slug: 'one' });
    expectRefusal(await create(as(app, { token: site.master }), 'articles', { slug: 'one' }), 'CONFLICT', ['slug']);
  });
});
