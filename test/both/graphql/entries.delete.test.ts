// deleteEntry (docs/contract.md §3, §7).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite } from '../../support/build.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

function remove(caller: Caller, id: string, options: { ifVersion?: number; useAcl?: boolean } = {}) {
  return caller.gql(
    `mutation ($id: ID!, $ifVersion: Int, $useAcl: Boolean! = false) {
      deleteEntry(channel: "articles", id: $id, ifVersion: $ifVersion, useAcl: $useAcl)
    }`,
    { id, ...options },
  );
}

describe('allowed', () => {
  test('by id, short id and slug: answers the id, and the entry is gone', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles' });
    const master = as(app, { token: site.master });
    for (const name of ['id', 'shortId', 'slug'] as const) {
      const entry = await buildEntry(db, channel);
      expect(expectData(await remove(master, entry[name]))).toEqual({ deleteEntry: entry.id });
      expectRefusal(await remove(master, entry[name]), 'NOT_FOUND');
      expectRefusal(await master.gql(`{ entry(channel: "articles", id: "${entry.id}") { id } }`), 'NOT_FOUND');
    }
  });

  test('with a version that holds', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    await buildEntry(db, await buildChannel(db, site.id, { id: 'articles' }), { slug: 'one' });
    const master = as(app, { token: site.master });
    expectRefusal(await remove(master, 'one', { ifVersion: 2 }), 'PRECONDITION_FAILED');
    expectData(await remove(master, 'one', { ifVersion: 1 }));
  });
});

describe('denied', () => {
  test('FORBIDDEN where the caller may read it, else NOT_FOUND; nothing is deleted', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles', deleteScope: 'private' });
    await buildEntry(db, channel, { slug: 'seen', owner: 'ada' });
    await buildEntry(db, channel, {
      slug: 'hidden',
      owner: 'ada',
      acl: { '*': { read: false }, users: { read: false } },
    });
    const { session } = await buildCustomer(db, site.id, { id: 'bob' });
    for (const [credentials, useAcl] of [
      [{ token: site.public }, false],
      [{ token: site.public, session }, false],
      [{ token: site.master }, true],
      [{ token: site.master, session }, true],
    ] as const) {
      expectRefusal(await remove(as(app, credentials), 'seen', { useAcl }), 'FORBIDDEN');
      expectRefusal(await remove(as(app, credentials), 'seen', { useAcl, ifVersion: 9 }), 'FORBIDDEN');
      expectRefusal(await remove(as(app, credentials), 'hidden', { useAcl }), 'NOT_FOUND');
    }
    const { data } = await as(app, { token: site.master }).gql('{ entries(channel: "articles") { totalCount } }');
    expect(data).toEqual({ entries: { totalCount: 2 } });
  });

  test('an unknown channel is NOT_FOUND', async () => {
    const site = await buildSite(app.database.prisma);
    expectRefusal(await remove(as(app, { token: site.master }), 'one'), 'NOT_FOUND');
  });
});
