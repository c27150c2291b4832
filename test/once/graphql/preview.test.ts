// Explanations and previews in GraphQL (docs/contract.md §10): what REST tells, in GraphQL's words, for every actor that GraphQL can
// name, and everything below a previewed field.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { buildCallers, buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const future = '2999-01-01T00:00:00.000Z';
const scene = await buildScene(app, {
  ...{ publishable: true, readScope: 'private', createScope: 'shared', description: 'For managers' },
  fields: [
    { name: 'title', type: 'string' },
    { name: 'next', type: 'reference', channel: 'articles' },
    { name: 'others', type: 'references', channel: 'secret' },
  ],
});
const secret = await buildChannel(scene.db, scene.site.id, { id: 'secret', readScope: 'none' });
const hidden = await buildEntry(scene.db, secret, { slug: 'hidden' });
const told = await buildEntry(scene.db, secret, { slug: 'told', acl: { 'role:editor': { read: true } } });
const bobs = await buildEntry(scene.db, scene.channel, { slug: 'bobs', owner: 'bob', data: { title: 'Of Bob' } });
for (const entry of [
  { slug: 'adas', owner: 'ada', data: { title: 'Of Ada', next: bobs.id, others: [hidden.id, told.id] } },
  { slug: 'open', acl: { '*': { read: true } }, data: { title: 'Open', others: [told.id] } },
  { slug: 'draft', status: 'draft' as const, owner: 'ada', data: { title: 'Draft' } },
  { slug: 'later', publishAt: new Date(future), owner: 'ada', data: { title: 'Later' } },
]) {
  await buildEntry(scene.db, scene.channel, entry);
}
const callers = await buildCallers(scene);
const own = { master: as(app, callers.master), user: as(app, callers.user) };

const entryFields = `slug titleFieldValue owner acl { actor read } fields
  channel { id description acl { read } fields { name channel } }
  reference(field: "next") { slug owner channel { description } }
  references(field: "others", first: 1) { totalCount nodes { slug } pageInfo { endCursor hasNextPage } }`;
const listQuery = `query ($as: ActorInput, $at: DateTime) {
  entries(channel: "articles", sort: "slug", as: $as, at: $at) { totalCount nodes { ${entryFields} } }
  one: entry(channel: "articles", id: "adas", as: $as, at: $at) { ${entryFields} }
  none: entry(channel: "articles", id: "draft", as: $as, at: $at) { slug }
}`;

/** The same without cursors, which are bound to who reads. */
const withoutCursors = (data: unknown): unknown =>
  JSON.parse(JSON.stringify(data).replace(/"endCursor":"[^"]+"/g, '"endCursor":"…"'));

const users = { ada: as(app, callers['user+ada']), bob: as(app, callers['user+bob']) };

/**
 * Actors; the caller whose own requests get what a preview as the actor shows; and a user token that reads all of that itself, by a
 * session of the same customer.
 */
const actors: readonly (readonly [actor: Record<string, unknown>, own: Caller, alike: Caller, path?: string])[] = [
  [{ anonymous: true }, as(app, callers.public), own.user],
  [{ customer: 'ada' }, as(app, callers.ada), users.ada],
  [{ customer: 'bob', useAcl: true }, as(app, callers.bob), users.bob],
  [{ customer: 'ada', token: 'MASTER', useAcl: true }, as(app, callers['user+ada']), users.ada],
  [{ anonymous: true, token: 'MASTER', useAcl: true }, as(app, callers.user), own.user],
  [
    { customer: 'bob', token: 'MASTER', useAcl: true },
    as(app, callers['master+bob']),
    users.bob,
    '/graphql?use_acl=true',
  ],
];

describe.each(actors)('as %j', (actor, caller, alike, path = '/graphql') => {
  test('lists, totals, fetches and references in a preview equal those of the actor', async () => {
    const expected = expectData(await caller.gql(listQuery, {}, { path }));
    for (const who of [own.master, alike]) {
      const previewed = expectData(await who.gql(listQuery, { as: actor }));
      expect(withoutCursors(previewed)).toEqual(withoutCursors(expected));
    }
  });

  test('explanations agree with the answers to the actor', async () => {
    const query = `query ($as: ActorInput!, $id: ID!) {
      accessExplanation(channel: "articles", id: $id, as: $as) { read { allowed } publication { visible } }
    }`;
    interface Explained {
      readonly accessExplanation: { read: { allowed: boolean }; publication: { visible: boolean } } | null;
    }
    for (const id of ['adas', 'bobs', 'open', 'draft', 'later']) {
      const fetched = expectData(
        await caller.gql('query ($id: ID!) { entry(channel: "articles", id: $id) { slug } }', { id }, { path }),
      );
      const { accessExplanation: it } = expectData(await own.master.gql<Explained>(query, { id, as: actor }));
      const told = it !== null && it.read.allowed && it.publication.visible;
      expect([id, told]).toEqual([id, fetched['entry'] !== null]);
      for (const who of [own.user, alike]) {
        const readable = expectData(
          await who.gql('query ($id: ID!) { entry(channel: "articles", id: $id) { id } }', { id }),
        );
        const explained = expectData(await who.gql<Explained>(query, { id, as: actor }));
        expect(explained.accessExplanation).toEqual(readable['entry'] === null ? null : it);
      }
    }
  });
});

describe('a user token', () => {
  const parts = `slug owner acl { actor } fields reference(field: "next") { slug owner } references(field: "others") { totalCount }`;
  const query = `query ($as: ActorInput) {
    entries(channel: "articles", as: $as) { totalCount nodes { ${parts} } }
    found: entries(channel: "articles", search: "of", as: $as) { totalCount nodes { slug } }
    entry(channel: "articles", id: "bobs", as: $as) { ${parts} }
  }`;

  test.each([
    ['as a customer whose drafts it may not read', { customer: 'bob' }],
    ['as a checked master token with that customer', { customer: 'bob', token: 'MASTER', useAcl: true }],
  ])(
    'a preview by a user token %s has only entries that the token may read, also in the site’s schema',
    async (_what, actor) => {
      for (const who of [own.user, users.ada]) {
        const { entries, found, entry } = expectData(await who.gql(query, { as: actor }));
        const shown = { slug: 'open', owner: null, acl: 'token' in actor ? [{ actor: '*' }] : null };
        expect([entries, found, entry]).toEqual([
          { totalCount: 1, nodes: [expect.objectContaining(shown)] },
          { totalCount: 0, nodes: [] },
          null,
        ]);
      }
      const site = `query ($as: ActorInput) { articles(as: $as) { totalCount nodes { slug } } articlesEntry(id: "bobs", as: $as) { slug } }`;
      const typed = await own.user.gql(site, { as: actor }, { path: '/graphql/site' });
      expect(expectData(typed)).toEqual({
        articles: { totalCount: 1, nodes: [{ slug: 'open' }] },
        articlesEntry: null,
      });
    },
  );

  test('a preview by a user token follows references only to entries that the token and the actor may read', async () => {
    const linked =
      'query ($as: ActorInput) { entry(channel: "articles", id: "open", as: $as) { references(field: "others") { totalCount } } }';
    const count = async (who: Caller): Promise<unknown> =>
      expectData(await who.gql<{ entry: { references: object } }>(linked, { as: { roles: ['editor'] } })).entry
        .references;
    expect([await count(own.user), await count(users.bob), await count(users.ada)]).toEqual([
      { totalCount: 0 },
      { totalCount: 0 },
      { totalCount: 1 },
    ]);
  });
});

test('a preview as a master token by a master token equals the plain answer', async () => {
  const expected = expectData(await own.master.gql(listQuery));
  expect(withoutCursors(expectData(await own.master.gql(listQuery, { as: { token: 'MASTER' } })))).toEqual(
    withoutCursors(expected),
  );
});

test('useAcl applies access control to each actor of a preview', async () => {
  const query = 'query ($as: ActorInput) { entries(channel: "articles", useAcl: true, as: $as) { nodes { slug } } }';
  const { entries } = expectData(
    await own.master.gql<{ entries: { nodes: object[] } }>(query, { as: { token: 'MASTER' } }),
  );
  expect(entries.nodes).toEqual([{ slug: 'open' }]);
});

describe('roles', () => {
  const linked = `query ($as: ActorInput) { entry(channel: "articles", id: "open", as: $as) {
    references(field: "others") { totalCount } } }`;
  interface Linked {
    readonly entry: { references: { totalCount: number } };
  }
  test.each([
    [{ customer: 'ada' }, 1],
    [{ customer: 'ada', roles: [] }, 0],
    [{ customer: 'bob' }, 0],
    [{ customer: 'bob', roles: ['other', 'editor'] }, 1],
    [{ roles: ['editor'] }, 1],
    [{ roles: [] }, 0],
  ])('a preview applies the roles of %j', async (actor, count) => {
    const { entry } = expectData(await own.master.gql<Linked>(linked, { as: actor }));
    expect(entry.references.totalCount).toBe(count);
  });
});

test('a preview at another time has the entries and totals of that time', async () => {
  const query = `query ($at: DateTime) {
    entries(channel: "articles", first: 1, as: { customer: "ada" }, at: $at) { totalCount }
    entry(channel: "articles", id: "later", as: { customer: "ada" }, at: $at) { slug }
    accessExplanation(channel: "articles", id: "later", as: { customer: "ada" }, at: $at) {
      publication { visible since until }
    }
  }`;
  expect(expectData(await own.master.gql(query))).toEqual({
    entries: { totalCount: 2 },
    entry: null,
    accessExplanation: { publication: { visible: false, since: null, until: future } },
  });
  expect(expectData(await own.master.gql(query, { at: future }))).toEqual({
    entries: { totalCount: 3 },
    entry: { slug: 'later' },
    accessExplanation: { publication: { visible: true, since: future, until: null } },
  });
});

test('a cursor within a preview is refused outside it', async () => {
  const query = `query ($as: ActorInput, $after: String) { entry(channel: "articles", id: "adas", as: $as) {
    references(field: "others", first: 1, after: $after) { nodes { slug } edges { cursor } } } }`;
  interface Paged {
    readonly entry: { references: { nodes: object[]; edges: { cursor: string }[] } | null };
  }
  const actor = { customer: 'ada' };
  const { entry } = expectData(await own.master.gql<Paged>(query, { as: actor }));
  const after = entry.references?.edges[0]?.cursor;
  expect(expectData(await own.master.gql<Paged>(query, { as: actor, after })).entry.references?.nodes).toEqual([]);
  for (const other of [null, { customer: 'ada', roles: ['editor'] }]) {
    const { errors } = await own.master.gql<Paged>(query, { as: other, after });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
  }
});

test('an explanation has all of its members', async () => {
  const decision = '{ allowed decidedBy key scope considered { key says } }';
  const query = `query ($as: ActorInput!) { accessExplanation(channel: "articles", id: "open", as: $as) {
    create ${decision} read ${decision} update ${decision} delete ${decision} publication { visible since until } } }`;
  const none = { key: null, considered: [] };
  expect(expectData(await own.user.gql(query, { as: { anonymous: true } }))).toEqual({
    accessExplanation: {
      create: { allowed: false, decidedBy: 'CHANNEL', scope: 'SHARED', ...none },
      read: { allowed: true, decidedBy: 'GRANT', key: '*', scope: null, considered: [{ key: '*', says: true }] },
      update: { allowed: false, decidedBy: 'CHANNEL', scope: 'NONE', ...none },
      delete: { allowed: false, decidedBy: 'CHANNEL', scope: 'NONE', ...none },
      publication: { visible: true, since: null, until: null },
    },
  });
  const bypass = { allowed: true, decidedBy: 'BYPASS', scope: null, ...none };
  expect(expectData(await own.master.gql(query, { as: { token: 'MASTER' } }))).toEqual({
    accessExplanation: {
      ...{ create: bypass, read: bypass, update: bypass, delete: bypass },
      publication: { visible: true, since: null, until: null },
    },
  });
  const missing = query.replace('"open"', '"nowhere"');
  expect(expectData(await own.master.gql(missing, { as: { anonymous: true } }))).toEqual({ accessExplanation: null });
});

test('a preview of other scopes has all of its members', async () => {
  const changed = '{ count entries { id slug titleFieldValue } }';
  const query = `{ channelAclPreview(channel: "articles", acl: { read: SHARED }, publishable: true) {
    exact anonymous { appear ${changed} disappear ${changed} } customer { appear ${changed} disappear ${changed} } } }`;
  const none = { count: 0, entries: [] };
  const found = expect.objectContaining({ count: 2 });
  expect(expectData(await own.master.gql(query))).toEqual({
    channelAclPreview: {
      exact: true,
      anonymous: { appear: none, disappear: none },
      customer: { appear: found, disappear: none },
    },
  });
  const nowhere = '{ channelAclPreview(channel: "nowhere", acl: {}) { exact } }';
  expect(expectData(await own.master.gql(nowhere))).toEqual({ channelAclPreview: null });
});

describe('what is refused', () => {
  const query =
    'query ($as: ActorInput, $at: DateTime) { entries(channel: "articles", as: $as, at: $at) { totalCount } }';
  const explain =
    'query ($as: ActorInput!) { accessExplanation(channel: "articles", id: "open", as: $as) { read { allowed } } }';

  test.each([
    [{}, /must name somebody/],
    [{ anonymous: false }, /must name somebody/],
    [{ token: 'PUBLIC', useAcl: true }, /must name somebody/],
    [{ token: 'MASTER', useAcl: true }, /must name somebody/],
    [{ token: 'MASTER', anonymous: false }, /must name somebody/],
    [{ anonymous: true, customer: 'ada' }, /neither a customer id nor roles/],
    [{ anonymous: true, roles: [] }, /neither a customer id nor roles/],
    [{ customer: '' }, /must not be empty/],
    [{ roles: ['a', ''] }, /the role 2 must not be empty/],
    [{ roles: Array.from({ length: 501 }, (_, n) => `r${n}`) }, /the roles must have at most 500 roles/],
    [{ customer: 'nobody' }, /there is no customer "nobody"/],
    [{ customer: 'nobody', roles: ['editor'] }, /there is no customer "nobody"/],
  ])('a preview as %j is refused', async (actor, message) => {
    for (const text of [query, explain]) {
      const { status, errors } = await own.master.gql(text, { as: actor });
      expect([status, errors?.map(({ extensions }) => extensions.code)]).toEqual([200, ['BAD_USER_INPUT']]);
      expect(errors?.[0]?.message).toMatch(message);
    }
  });

  test('a time without an actor, and an invalid time, are refused', async () => {
    for (const variables of [{ at: future }, { as: { anonymous: true }, at: 'tomorrow' }]) {
      const { errors } = await own.master.gql(query, variables);
      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
    }
  });

  test('previews by public tokens, and by a user token that would bypass access control, are refused', async () => {
    for (const name of ['public', 'ada'] as const) {
      for (const actor of [{ anonymous: true }, { customer: 'ada' }, { customer: 'nobody' }, { token: 'MASTER' }]) {
        for (const text of [query, explain]) {
          const { data, errors } = await as(app, callers[name]).gql(text, { as: actor });
          expect(Object.values(data)).toEqual([null]);
          expect([name, errors?.map(({ extensions }) => extensions.code)]).toEqual([name, ['FORBIDDEN']]);
        }
      }
    }
    for (const text of [query, explain]) {
      const { data, errors } = await own.user.gql(text, { as: { token: 'MASTER' } });
      expect([Object.values(data), errors?.[0]?.extensions.code]).toEqual([[null], 'FORBIDDEN']);
    }
  });

  test('a mutation has no preview', async () => {
    const { status } = await own.master.gql(
      'mutation { deleteEntry(channel: "articles", id: "open", as: { anonymous: true }) }',
    );
    expect(status).toBe(400);
  });
});
