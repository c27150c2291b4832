// Who updates and deletes what: the channel's check and the entry's rule (docs/contract.md §3), through the wire; 403 where the
// caller could fetch the entry, else 404.
import { describe, expect, test } from '@jest/globals';
import type { EntryAcl, Scope } from '../../../src/rules/access.ts';
import { as } from '../../support/as.ts';
import { buildCustomer, buildEntry } from '../../support/build.ts';
import { expectEntry } from '../../support/expect.ts';
import { buildCallers, buildScene, checked, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const both = (allowed: boolean): { update: boolean; delete: boolean } => ({ update: allowed, delete: allowed });
const hide = { read: false };

// The entry belongs to ada, who has the role editor. What comes back to an anonymous visitor, to bob, and to ada. One row
// for each rule: the others are tried in test/pure/rules, and by both doors in test/both/model.
type Row = [name: string, write: Scope, read: Scope, acl: EntryAcl, expected: [number, number, number]];
const rows: Row[] = [
  ['default', 'public', 'public', {}, [200, 200, 200]],
  ['default', 'shared', 'public', {}, [403, 200, 200]],
  ['default, not readable by default', 'private', 'none', {}, [404, 404, 200]],
  ['default, readable by the owner', 'none', 'private', {}, [404, 404, 403]],
  ['grant to * is not enough for anonymous visitors', 'private', 'public', { '*': both(true) }, [403, 200, 200]],
  ['grant opens nothing in a none channel', 'none', 'public', { ada: both(true) }, [403, 403, 403]],
  ['grant to a role', 'private', 'none', { 'role:editor': both(true), ada: both(false) }, [404, 404, 200]],
  ['grant without read', 'private', 'none', { bob: both(true) }, [404, 200, 200]],
  ['deny to *', 'public', 'public', { '*': both(false) }, [403, 403, 403]],
  ['deny of read', 'public', 'public', { '*': { ...hide, ...both(false) } }, [404, 404, 404]],
  ['deny of read to those who may write', 'public', 'public', { '*': hide }, [200, 200, 200]],
];

describe.each(['PUT', 'PATCH', 'DELETE'])('%s allowed or denied', (method) => {
  test.each(rows)(
    'write access by %s, with the scopes write %s and read %s and the access list %j, is answered with %j',
    async (_name, scope, readScope, acl, expected) => {
      const { master, ...scene } = await buildScene(app, { readScope, updateScope: scope, deleteScope: scope });
      const callers = await buildCallers(scene);
      for (const { query, names } of checked) {
        const statuses: number[] = [];
        for (const name of names) {
          const { id } = await buildEntry(scene.db, scene.channel, { owner: 'ada', acl, data: { n: 0 } });
          const path = `/channels/articles/entries/${id}`;
          const body = method === 'DELETE' ? {} : { body: { n: 1 } };
          const answer = await as(app, callers[name]).rest(method, path + query, body);
          statuses.push(answer.status === 204 ? 200 : answer.status);
          const after = await master.rest('GET', path);
          const changed = after.status === 404 || expectEntry(after)['n'] === 1;
          expect(changed).toBe(answer.status < 300);
        }
        expect([names, statuses]).toEqual([names, expected]);
      }
    },
  );
});

describe('update and delete are two rights', () => {
  test('update and delete are decided by their own scopes', async () => {
    const { db, channel, visitor } = await buildScene(app, { updateScope: 'public' });
    await buildEntry(db, channel, { slug: 'one', acl: { '*': { delete: true, create: true } } });
    expect((await visitor.rest('POST', '/channels/articles/entries', { body: {} })).status).toBe(403);
    expect((await visitor.rest('PUT', '/channels/articles/entries/one', { body: { n: 1 } })).status).toBe(200);
    expect((await visitor.rest('DELETE', '/channels/articles/entries/one')).status).toBe(403);
  });

  test('no update is done after the removal of its grant, even one that is under way', async () => {
    const { db, site, channel, master } = await buildScene(app, { updateScope: 'private' });
    await buildEntry(db, channel, { slug: 'one', acl: { bob: { update: true } } });
    const { session } = await buildCustomer(db, site.id, { id: 'bob' });
    const bob = as(app, { token: site.public, session });
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
});
