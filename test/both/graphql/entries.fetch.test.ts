// entry (docs/contract.md §3, §4, §7).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { entrySelection, expectData, expectRefusal, type GraphqlEntry } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

function fetchQuery(id: string, useAcl = false): string {
  return `{ entry(channel: "articles", id: "${id}", useAcl: ${useAcl}) ${entrySelection} }`;
}

describe('allowed', () => {
  test('an entry goes by its id, its short id and its slug, and is the same each time', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles' });
    const createdAt = new Date('2021-02-03T04:05:06.007Z');
    const values = { owner: 'ada', acl: { ada: { read: true } }, data: { title: 5, n: { a: null } } };
    const one = await buildEntry(db, channel, { slug: 'one', createdAt, ...values });
    const caller = as(app, { token: site.master });
    for (const name of [one.id, one.shortId, one.slug]) {
      expect(expectData(await caller.gql<{ entry: GraphqlEntry }>(fetchQuery(name))).entry).toEqual({
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

  test('acl and owner: for master and user tokens and the owner, null for others, under an alias, too', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles' });
    await buildEntry(db, channel, { slug: 'one', owner: 'ada', acl: { '*': { read: true } } });
    const { session: ada } = await buildCustomer(db, site.id, { id: 'ada' });
    const { session: bob } = await buildCustomer(db, site.id, { id: 'bob' });
    const { token: user } = await buildUser(db, { memberOf: [site.id] });
    const query = `fragment Secrets on Entry { rules: acl { who: actor } whose: owner }
      { it: entry(channel: "articles", id: "one") { ...Secrets ... on Entry { acl { read } owner } } }`;
    for (const [credentials, sees] of [
      [{ token: site.public }, false],
      [{ token: site.public, session: bob }, false],
      [{ token: site.public, session: ada }, true],
      [{ token: user, site: site.id, session: bob }, true],
      [{ token: site.master, session: bob }, true],
    ] as const) {
      const { it } = expectData(await as(app, credentials).gql(query));
      const shown = { rules: [{ who: '*' }], acl: [{ read: true }], whose: 'ada', owner: 'ada' };
      expect(it).toEqual(sees ? shown : { rules: null, acl: null, whose: null, owner: null });
    }
  });

  test('its channel shows its access list to master and user tokens alone, here as anywhere', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    await buildEntry(db, await buildChannel(db, site.id, { id: 'articles', description: 'x' }), { slug: 'one' });
    const { token: user } = await buildUser(db, { memberOf: [site.id] });
    const query = '{ entry(channel: "articles", id: "one") { channel { acl { read } description } } }';
    for (const [credentials, channel] of [
      [{ token: site.public }, { acl: null, description: null }],
      [
        { token: user, site: site.id },
        { acl: { read: 'PUBLIC' }, description: 'x' },
      ],
      [{ token: site.master }, { acl: { read: 'PUBLIC' }, description: 'x' }],
    ] as const) {
      expect(expectData(await as(app, credentials).gql(query))).toEqual({ entry: { channel } });
    }
  });
});

describe('denied', () => {
  test('what is hidden is NOT_FOUND, alike with what is absent', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles', publishable: true });
    await buildEntry(db, channel, { slug: 'denied', acl: { '*': { read: false } } });
    await buildEntry(db, channel, { slug: 'draft', status: 'draft' });
    await buildEntry(db, channel, { slug: 'later', publishAt: new Date(Date.now() + 60_000) });
    const visitor = as(app, { token: site.public });
    const told = [];
    for (const slug of ['denied', 'draft', 'later', 'absent', '0192f1a0-0000-7000-8000-000000000000', 'No Name', '']) {
      const answer = await visitor.gql(fetchQuery(slug));
      expectRefusal(answer, 'NOT_FOUND');
      told.push(JSON.stringify(answer.errors).replace(answer.errors?.[0]?.extensions.requestId ?? '', ''));
    }
    expect(new Set(told).size).toBe(1);
  });

  test('useAcl checks a master token: as an anonymous visitor, or as the session’s customer', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles', readScope: 'none', publishable: true });
    await buildEntry(db, channel, { slug: 'hers', acl: { ada: { read: true } }, status: 'draft' });
    const { session } = await buildCustomer(db, site.id, { id: 'ada' });
    const master = as(app, { token: site.master });
    expectData(await master.gql(fetchQuery('hers')));
    expectRefusal(await master.gql(fetchQuery('hers', true)), 'NOT_FOUND');
    expectRefusal(await master.gql(fetchQuery('hers'), {}, { path: '/graphql?use_acl=true' }), 'NOT_FOUND');
    expectRefusal(await master.gql(fetchQuery('hers', true), {}, { path: '/graphql?use_acl=false' }), 'NOT_FOUND');
    expectData(await as(app, { token: site.master, session }).gql(fetchQuery('hers', true)));
    expectRefusal(await as(app, { token: site.public }).gql(fetchQuery('hers', false)), 'NOT_FOUND');
  });

  test('an unknown channel, or another site’s, is NOT_FOUND', async () => {
    const db = app.database.prisma;
    const [site, other] = [await buildSite(db), await buildSite(db)];
    await buildEntry(db, await buildChannel(db, other.id, { id: 'articles' }), { slug: 'one' });
    expectRefusal(await as(app, { token: site.master }).gql(fetchQuery('one')), 'NOT_FOUND');
  });
});
