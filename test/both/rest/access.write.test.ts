// Who updates and deletes what: the channel's check and the entry's rule (docs/contract.md §3), through the wire; 403 where the
// caller could fetch the entry, else 404.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EntryAcl, Scope } from '../../../src/rules/access.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Credentials } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { expectEntry } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const both = (allowed: boolean): { update: boolean; delete: boolean } => ({ update: allowed, delete: allowed });
const hide = { read: false };
const show = { read: true };

// The entry belongs to ada, who has the role editor. What comes back to an anonymous visitor, to bob, and to ada.
type Row = [name: string, write: Scope, read: Scope, acl: EntryAcl, expected: [number, number, number]];
const rows: Row[] = [
  ['default', 'public', 'public', {}, [200, 200, 200]],
  ['default', 'shared', 'public', {}, [403, 200, 200]],
  ['default', 'private', 'public', {}, [403, 403, 200]],
  ['default', 'none', 'public', {}, [403, 403, 403]],
  ['default, not readable by default', 'private', 'none', {}, [404, 404, 200]],
  ['default, readable by customers', 'none', 'shared', {}, [404, 403, 403]],
  ['default, readable by the owner', 'none', 'private', {}, [404, 404, 403]],

  ['grant to *', 'public', 'public', { '*': both(true) }, [200, 200, 200]],
  ['grant to * is not enough for anonymous visitors', 'shared', 'public', { '*': both(true) }, [403, 200, 200]],
  ['grant to * is not enough for anonymous visitors', 'private', 'public', { '*': both(true) }, [403, 200, 200]],
  ['grant to * opens nothing in a none channel', 'none', 'public', { '*': both(true) }, [403, 403, 403]],
  ['grant to users', 'private', 'public', { users: both(true) }, [403, 200, 200]],
  ['grant to an id', 'private', 'public', { bob: both(true) }, [403, 200, 200]],
  ['grant to an id opens nothing in a none channel', 'none', 'public', { ada: both(true) }, [403, 403, 403]],
  ['grant to a role', 'private', 'none', { 'role:editor': both(true), ada: both(false) }, [404, 404, 200]],
  ['grant of read alone', 'private', 'none', { bob: show }, [404, 403, 200]],
  ['grant without read', 'private', 'none', { bob: both(true) }, [404, 200, 200]],

  ['deny to *', 'public', 'public', { '*': both(false) }, [403, 403, 403]],
  ['deny to * where signing in counts', 'shared', 'public', { '*': both(false) }, [403, 200, 200]],
  ['deny to * where owning counts', 'private', 'public', { '*': both(false) }, [403, 403, 200]],
  ['deny to users', 'public', 'public', { users: both(false) }, [200, 403, 403]],
  ['deny to the owner', 'private', 'public', { ada: both(false) }, [403, 403, 403]],
  ['deny to an id', 'shared', 'public', { 'id:bob': both(false) }, [403, 403, 200]],
  ['deny of read', 'public', 'public', { '*': { ...hide, ...both(false) } }, [404, 404, 404]],
  ['deny of read to those who may write', 'public', 'public', { '*': hide }, [200, 200, 200]],
];

describe.each(['PUT', 'PATCH', 'DELETE'])('%s allowed or denied', (method) => {
  test.each(rows)('%s: write %s, read %s, %j: %j', async (_name, scope, readScope, acl, expected) => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const scopes = { readScope, updateScope: scope, deleteScope: scope };
    const channel = await buildChannel(db, site.id, { id: 'articles', ...scopes });
    const { token: user } = await buildUser(db, { memberOf: [site.id] });
    const sessions = [
      {},
      { session: (await buildCustomer(db, site.id, { id: 'bob' })).session },
      { session: (await buildCustomer(db, site.id, { id: 'ada', roles: ['editor'] })).session },
    ];
    const tokens: [Credentials, query: string][] = [
      [{ token: site.public }, ''],
      [{ token: user, site: site.id }, ''],
      [{ token: site.master }, '?use_acl=true'],
    ];
    for (const [credentials, query] of tokens) {
      const statuses: number[] = [];
      for (const session of sessions) {
        const { id } = await buildEntry(db, channel, { owner: 'ada', acl, data: { n: 0 } });
        const path = `/channels/articles/entries/${id}`;
        const body = method === 'DELETE' ? {} : { body: { n: 1 } };
        const answer = await as(app, { ...credentials, ...session }).rest(method, path + query, body);
        statuses.push(answer.status === 204 ? 200 : answer.status);
        const after = await as(app, { token: site.master }).rest('GET', path);
        const changed = after.status === 404 || expectEntry(after)['n'] === 1;
        expect(changed).toBe(answer.status < 300);
      }
      expect([query, statuses]).toEqual([query, expected]);
    }
  });
});

describe('update and delete are two rights', () => {
  test('a grant of one is none of the other', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const scopes = { updateScope: 'private', deleteScope: 'private' } as const;
    const channel = await buildChannel(db, site.id, { id: 'articles', ...scopes });
    await buildEntry(db, channel, { slug: 'updated', acl: { bob: { update: true } } });
    await buildEntry(db, channel, { slug: 'deleted', acl: { bob: { delete: true } } });
    const { session } = await buildCustomer(db, site.id, { id: 'bob' });
    const bob = as(app, { token: site.public, session });
    expect((await bob.rest('DELETE', '/channels/articles/entries/updated')).status).toBe(403);
    expect((await bob.rest('PUT', '/channels/articles/entries/updated', { body: { n: 1 } })).status).toBe(200);
    expect((await bob.rest('PUT', '/channels/articles/entries/deleted', { body: { n: 1 } })).status).toBe(403);
    expect((await bob.rest('DELETE', '/channels/articles/entries/deleted')).status).toBe(204);
  });

  test('each asks the channel’s own scope', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const scopes = { createScope: 'none', updateScope: 'public', deleteScope: 'none' } as const;
    const channel = await buildChannel(db, site.id, { id: 'articles', ...scopes });
    await buildEntry(db, channel, { slug: 'one', acl: { '*': { delete: true, create: true } } });
    const visitor = as(app, { token: site.public });
    expect((await visitor.rest('POST', '/channels/articles/entries', { body: {} })).status).toBe(403);
    expect((await visitor.rest('PUT', '/channels/articles/entries/one', { body: { n: 1 } })).status).toBe(200);
    expect((await visitor.rest('DELETE', '/channels/articles/entries/one')).status).toBe(403);
  });

  test('a grant that is taken away while updates are under way: none of them is done after that', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles', updateScope: 'private' });
    await buildEntry(db, channel, { slug: 'one', acl: { bob: { update: true } } });
    const { session } = await buildCustomer(db, site.id, { id: 'bob' });
    const bob = as(app, { token: site.public, session });
    const master = as(app, { token: site.master });
    const path = '/channels/articles/entries/one';
    const update = (n: number) => bob.rest('PUT', path, { body: { n } });
    const early = Array.from({ length: 15 }, (_, n) => update(n + 1));
    const revoked = master.rest('PUT', path, { body: { _acl: { bob: { update: false } } } });
    const late = Array.from({ length: 15 }, (_, n) => update(n + 101));
    const versionOf = ({ headers }: { headers: Headers }): number =>
      Number.parseInt(headers.get('etag')?.slice(1) ?? '0');
    const answers = await Promise.all([...early, ...late]);
    const last = versionOf(await revoked);
    expect(last).toBeGreaterThan(1);
    for (const answer of answers) expect([answer.status, versionOf(answer) < last]).toEqual([answer.status, true]);
    expect(answers.filter(({ status }) => status !== 200 && status !== 403)).toEqual([]);
    expect(versionOf(await master.rest('GET', path))).toBe(last);
  });

  test('a grant that is taken away holds no more from the next request on', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    const channel = await buildChannel(db, site.id, { id: 'articles', updateScope: 'private' });
    await buildEntry(db, channel, { slug: 'one', acl: { bob: { update: true } } });
    const { session } = await buildCustomer(db, site.id, { id: 'bob' });
    const bob = as(app, { token: site.public, session });
    const path = '/channels/articles/entries/one';
    expect((await bob.rest('PUT', path, { body: { n: 1 } })).status).toBe(200);
    await as(app, { token: site.master }).rest('PUT', path, { body: { _acl: { bob: { update: false } } } });
    expect((await bob.rest('PUT', path, { body: { n: 2 } })).status).toBe(403);
  });
});
