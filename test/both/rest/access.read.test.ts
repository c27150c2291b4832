// Who lists, counts and fetches what: grant, else deny, else the channel's scope (docs/contract.md §3), through the wire.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EntryAcl, Scope } from '../../../src/rules/access.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Credentials } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** Who access control sees; each is sent by a public, a user and a master token with use_acl=true. */
const subjects = ['anonymous', 'bob', 'ada'] as const;
type Readers = readonly (typeof subjects)[number][];
const nobody: Readers = [];
const customers: Readers = ['bob', 'ada'];
const everybody: Readers = subjects;

// The entry belongs to ada, who has the role editor. Bob has none.
const rows: [name: string, scope: Scope, acl: EntryAcl, readers: Readers][] = [
  ['default', 'public', {}, everybody],
  ['default', 'shared', {}, customers],
  ['default', 'private', {}, ['ada']],
  ['default', 'none', {}, nobody],

  ['grant to *', 'none', { '*': { read: true } }, everybody],
  ['grant to users', 'none', { users: { read: true } }, customers],
  ['grant to an id', 'none', { 'id:bob': { read: true } }, ['bob']],
  ['grant to an id in short', 'none', { bob: { read: true } }, ['bob']],
  ['grant to a role', 'none', { 'role:editor': { read: true } }, ['ada']],
  ['grant to another role', 'none', { 'role:Editor': { read: true } }, nobody],
  ['grant to a customer called like a role', 'none', { 'id:role:editor': { read: true } }, nobody],
  ['grant to a customer called "editor"', 'none', { editor: { read: true } }, nobody],
  ['grant to a customer called "Users"', 'none', { Users: { read: true } }, nobody],
  ['grant in a private channel', 'private', { bob: { read: true } }, customers],
  ['grant to * in a shared channel', 'shared', { '*': { read: true } }, everybody],
  ['grant of another action', 'none', { '*': { update: true, delete: true, create: true } }, nobody],

  ['deny to *', 'public', { '*': { read: false } }, nobody],
  ['deny to * where signing in counts', 'shared', { '*': { read: false } }, customers],
  ['deny to * where owning counts', 'private', { '*': { read: false } }, ['ada']],
  ['deny to users', 'public', { users: { read: false } }, ['anonymous']],
  ['deny to users', 'shared', { users: { read: false } }, nobody],
  ['deny to an id', 'public', { 'id:bob': { read: false } }, ['anonymous', 'ada']],
  ['deny to an id in short', 'shared', { bob: { read: false } }, ['ada']],
  ['deny to a role', 'public', { 'role:editor': { read: false } }, ['anonymous', 'bob']],
  ['deny to the owner', 'private', { ada: { read: false } }, nobody],
  ['deny of another action', 'public', { '*': { update: false, delete: false, create: false } }, everybody],

  ['grant and deny at other keys', 'public', { '*': { read: false }, users: { read: true } }, customers],
  ['grant over a closer deny', 'none', { users: { read: true }, ada: { read: false } }, customers],
  [
    'grant to a role over a deny to its holder',
    'shared',
    { 'role:editor': { read: true }, ada: { read: false } },
    customers,
  ],
  [
    'grant to * over all denies',
    'none',
    { '*': { read: true }, users: { read: false }, ada: { read: false } },
    everybody,
  ],
];

describe('allowed or denied', () => {
  test.each(rows)('%s, in a channel whose read is %s, with %j: %j', async (_name, readScope, acl, readers) => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles', readScope });
    await buildEntry(db, channel, { slug: 'one', owner: 'ada', acl });
    const user = { token: (await buildUser(db, { memberOf: [site.id] })).token, site: site.id };
    const sessions: Record<string, { session?: string }> = {
      anonymous: {},
      bob: { session: (await buildCustomer(db, site.id, { id: 'bob' })).session },
      ada: { session: (await buildCustomer(db, site.id, { id: 'ada', roles: ['editor'] })).session },
    };
    for (const subject of subjects) {
      const tokens: [kind: string, Credentials, query: string][] = [
        ['public', { token: site.public }, ''],
        ['user', user, ''],
        ['master', { token: site.master }, '?use_acl=true'],
      ];
      for (const [kind, credentials, query] of tokens) {
        const caller = as(app, { ...credentials, ...sessions[subject] });
        const fetched = await caller.rest('GET', `/channels/articles/entries/one${query}`);
        const listed = await caller.rest<{ slug: string }[]>('GET', `/channels/articles/entries${query}`);
        const counted = await caller.rest('GET', `/channels/articles/entries/count${query}`);
        const reads = readers.includes(subject);
        expect([kind, subject, fetched.status, listed.body.length, counted.body]).toEqual([
          kind,
          subject,
          reads ? 200 : 404,
          reads ? 1 : 0,
          { count: reads ? 1 : 0 },
        ]);
      }
    }
    for (const session of Object.values(sessions)) {
      const master = as(app, { token: site.master, ...session });
      expectEntry(await master.rest('GET', '/channels/articles/entries/one'));
      expectEntry(await master.rest('GET', '/channels/articles/entries/one?use_acl=false'));
    }
  });

  test('what a channel says holds from the request that follows its change', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles', readScope: 'none' });
    await buildEntry(db, channel, { slug: 'one' });
    const visitor = as(app, { token: site.public });
    expectProblem(await visitor.rest('GET', '/channels/articles/entries/one'), 'not_found');
    for (const [scope, status] of [
      ['PUBLIC', 200],
      ['SHARED', 404],
    ] as const) {
      const change = `mutation { updateChannel(id: "articles", input: { acl: { read: ${scope} } }) { id } }`;
      expect((await as(app, { token: site.master }).gql(change)).errors).toBeUndefined();
      expect((await visitor.rest('GET', '/channels/articles/entries/one')).status).toBe(status);
    }
  });

  test('nobody owns what has no owner, and an owner is nobody else’s customer', async () => {
    const db = app.database.prisma;
    const [site, other] = [await buildSite(db), await buildSite(db)];
    const channel = await buildChannel(db, site.id, { id: 'articles', readScope: 'private' });
    await buildEntry(db, channel, { slug: 'nobodys', owner: null });
    await buildEntry(db, channel, { slug: 'adas', owner: 'ada' });
    await buildEntry(db, channel, { slug: 'users', owner: 'users' });
    await buildEntry(db, channel, { slug: 'star', owner: '*' });
    const { session } = await buildCustomer(db, site.id, { id: 'Ada' });
    await buildCustomer(db, other.id, { id: 'ada' });
    const { body } = await as(app, { token: site.public, session }).rest('GET', '/channels/articles/entries');
    expect(body).toEqual([]);
  });
});
