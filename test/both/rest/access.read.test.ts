// Who lists, counts and fetches what: grant, else deny, else the channel's scope (docs/contract.md §3), through the wire.
import { describe, expect, test } from '@jest/globals';
import type { EntryAcl, Scope } from '../../../src/rules/access.ts';
import { as } from '../../support/as.ts';
import { buildCustomer, buildEntry, buildSite } from '../../support/build.ts';
import { expectEntry } from '../../support/expect.ts';
import { buildCallers, buildScene, checked, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

type Readers = readonly ('anonymous' | 'bob' | 'ada')[];
const nobody: Readers = [];
const customers: Readers = ['bob', 'ada'];
const everybody: Readers = ['anonymous', ...customers];

// The entry belongs to ada, who has the role editor. Bob has none. One row for each rule: the others are tried in
// test/pure/rules, and the SQL is held against the rules in test/both/contract/visibility.
const rows: [name: string, scope: Scope, acl: EntryAcl, readers: Readers][] = [
  ['default', 'public', {}, everybody],
  ['default', 'shared', {}, customers],
  ['default', 'private', {}, ['ada']],
  ['default', 'none', {}, nobody],
  ['grant to *', 'none', { '*': { read: true } }, everybody],
  ['grant to an id', 'none', { 'id:bob': { read: true } }, ['bob']],
  ['grant to a role', 'none', { 'role:editor': { read: true } }, ['ada']],
  ['grant to a customer called "editor"', 'none', { editor: { read: true } }, nobody],
  ['grant of another action', 'none', { '*': { update: true, delete: true, create: true } }, nobody],
  ['deny to *', 'public', { '*': { read: false } }, nobody],
  ['deny to * where signing in counts', 'shared', { '*': { read: false } }, customers],
  ['deny to the owner', 'private', { ada: { read: false } }, nobody],
  ['grant over a closer deny', 'none', { users: { read: true }, ada: { read: false } }, customers],
];

describe('allowed or denied', () => {
  test.each(rows)(
    'read access by %s, in a channel with the scope %s and the access list %j, is allowed to %j',
    async (_name, readScope, acl, readers) => {
      const scene = await buildScene(app, { readScope });
      await buildEntry(scene.db, scene.channel, { slug: 'one', owner: 'ada', acl });
      const callers = await buildCallers(scene);
      for (const { query, names } of checked) {
        for (const [index, name] of names.entries()) {
          const caller = as(app, callers[name]);
          const fetched = await caller.rest('GET', `/channels/articles/entries/one${query}`);
          const listed = await caller.rest<unknown[]>('GET', `/channels/articles/entries${query}`);
          const counted = await caller.rest('GET', `/channels/articles/entries/count${query}`);
          const reads = readers.includes(everybody[index] ?? 'anonymous');
          const expected = reads ? [200, 1, { count: 1 }] : [404, 0, { count: 0 }];
          expect([name, fetched.status, listed.body.length, counted.body]).toEqual([name, ...expected]);
        }
      }
      for (const name of ['master', 'master+bob', 'master+ada'] as const) {
        expectEntry(await as(app, callers[name]).rest('GET', '/channels/articles/entries/one'));
        expectEntry(await as(app, callers[name]).rest('GET', '/channels/articles/entries/one?use_acl=false'));
      }
    },
  );

  test('a customer owns no entry without an owner, with a keyword as owner, or with a customer’s id in another letter case', async () => {
    const { db, site, channel } = await buildScene(app, { readScope: 'private' });
    for (const owner of [null, 'ada', 'users', '*']) await buildEntry(db, channel, { owner });
    const { session } = await buildCustomer(db, site.id, { id: 'Ada' });
    await buildCustomer(db, (await buildSite(db)).id, { id: 'ada' });
    const { body } = await as(app, { token: site.public, session }).rest('GET', '/channels/articles/entries');
    expect(body).toEqual([]);
  });
});
