// Why an actor may do something with an entry, or may not (docs/contract.md §10.1): what the explanation says, and that it is what
// the operations do.
import { describe, expect, test } from '@jest/globals';
import type { EntryAcl, Scope } from '../../../src/rules/access.ts';
import { as } from '../../support/as.ts';
import { buildCustomer, buildUser } from '../../support/build.ts';
import { buildCallers, buildOne, buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

interface Decision {
  readonly allowed: boolean;
  readonly decided_by: string;
  readonly key: string | null;
  readonly scope: string | null;
  readonly considered: readonly { readonly key: string; readonly says: boolean }[];
  readonly right: null;
}
type Explanation = Record<'create' | 'read' | 'update' | 'delete', Decision> & {
  readonly publication: { visible: boolean; since: string | null; until: string | null };
};

const decided = (allowed: boolean, by: string, rest: Partial<Decision> = {}): Decision => ({
  ...{ allowed, decided_by: by, key: null, scope: null, considered: [], right: null },
  ...rest,
});
const says = (key: string, value: boolean): { key: string; says: boolean } => ({ key, says: value });

describe('what decided on read', () => {
  const rows: [scope: Scope, acl: EntryAcl, actor: string, expected: Decision][] = [
    ['public', {}, 'anonymous', decided(true, 'default', { scope: 'public' })],
    ['shared', {}, 'anonymous', decided(false, 'default', { scope: 'shared' })],
    ['shared', {}, 'roles:', decided(true, 'default', { scope: 'shared' })],
    ['private', {}, 'customer:ada', decided(true, 'default', { scope: 'private' })],
    ['private', {}, 'customer:bob', decided(false, 'default', { scope: 'private' })],
    ['private', {}, 'roles:editor', decided(false, 'default', { scope: 'private' })],
    ['none', {}, 'customer:ada', decided(false, 'default', { scope: 'none' })],
    [
      'none',
      { 'role:editor': { read: true }, 'role:other': { read: false }, bob: { read: false } },
      'customer:ada',
      decided(true, 'grant', { key: 'role:editor', considered: [says('role:editor', true)] }),
    ],
    [
      'public',
      { bob: { read: false } },
      'customer:bob',
      decided(false, 'deny', { key: 'bob', considered: [says('bob', false)] }),
    ],
    [
      'public',
      { '*': { read: false } },
      'customer:bob',
      decided(false, 'deny', { key: '*', considered: [says('*', false)] }),
    ],
    [
      'shared',
      { '*': { read: false } },
      'customer:bob',
      decided(true, 'default', { scope: 'shared', considered: [says('*', false)] }),
    ],
    [
      'shared',
      { '*': { read: false } },
      'anonymous',
      decided(false, 'deny', { key: '*', considered: [says('*', false)] }),
    ],
    ['none', { users: { update: true } }, 'roles:', decided(false, 'default', { scope: 'none' })],
  ];
  test.each(rows)(
    'the explanation of read: scope %s, access list %j, actor %s',
    async (readScope, acl, actor, expected) => {
      const scene = await buildOne(app, { owner: 'ada', acl }, { readScope });
      const callers = await buildCallers(scene);
      const path = '/channels/articles/entries/one';
      for (const name of ['master', 'user', 'user+ada', 'user+bob'] as const) {
        const who = as(app, callers[name]);
        const { status, body } = await who.rest<Explanation>('GET', `${path}/access?as=${actor}`);
        if ((await who.rest('GET', path)).status === 404) {
          const { body: missing } = await who.rest('GET', `/channels/articles/entries/none/access?as=${actor}`);
          expect([status, body]).toEqual([404, { ...missing, request_id: expect.any(String) }]);
          continue;
        }
        expect([status, body.read]).toEqual([200, expected]);
        expect(Object.keys(body)).toEqual(['read', 'update', 'delete', 'create', 'publish', 'publication', 'fields']);
      }
      const narrowed = await as(app, callers['master+bob']).rest<Explanation>(
        'GET',
        `${path}/access?as=${actor}&use_acl=true`,
      );
      expect([narrowed.status, narrowed.body.read]).toEqual([200, expected]);
      const own = { anonymous: 'public', 'customer:ada': 'ada', 'customer:bob': 'bob' }[actor];
      if (own === undefined) return;
      const fetched = await as(app, callers[own as 'public' | 'ada' | 'bob']).rest('GET', path);
      expect(fetched.status).toBe(expected.allowed ? 200 : 404);
    },
  );
});

describe('what decided on writes', () => {
  const rows: [scope: Scope, acl: EntryAcl, actor: string, create: boolean, update: Decision][] = [
    ['none', { '*': { update: true } }, 'customer:ada', false, decided(false, 'channel', { scope: 'none' })],
    ['shared', {}, 'anonymous', false, decided(false, 'channel', { scope: 'shared' })],
    ['private', {}, 'customer:ada', true, decided(true, 'default', { scope: 'private' })],
    ['private', {}, 'customer:bob', true, decided(false, 'default', { scope: 'private' })],
    [
      'private',
      { 'id:bob': { update: true, delete: true } },
      'customer:bob',
      true,
      decided(true, 'grant', { key: 'id:bob', considered: [says('id:bob', true)] }),
    ],
    ['public', {}, 'anonymous', true, decided(true, 'default', { scope: 'public' })],
  ];
  test.each(rows)(
    'the explanation of writes: scope %s, access list %j, actor %s',
    async (scope, acl, actor, creates, update) => {
      const scopes = { createScope: scope, updateScope: scope, deleteScope: scope };
      const scene = await buildOne(app, { owner: 'ada', acl }, scopes);
      const callers = await buildCallers(scene);
      const path = '/channels/articles/entries/one';
      const { body } = await scene.master.rest<Explanation>('GET', `${path}/access?as=${actor}`);
      expect(body.update).toEqual(update);
      expect(body.delete.allowed).toBe(update.allowed && !('*' in acl));
      expect(body.create).toEqual(decided(creates, 'channel', { scope }));
      const own = as(
        app,
        callers[actor === 'anonymous' ? 'public' : (actor.slice('customer:'.length) as 'ada' | 'bob')],
      );
      const created = await own.rest('POST', '/channels/articles/entries', { body: {} });
      const updated = await own.rest('PATCH', path, { body: { note: 'x' } });
      const deleted = await own.rest('DELETE', path);
      expect([created.status, updated.status, deleted.status]).toEqual([
        creates ? 201 : 403,
        update.allowed ? 200 : 403,
        update.allowed ? 204 : 403,
      ]);
    },
  );
});

describe('publication', () => {
  const past = '2020-01-01T00:00:00.000Z';
  const future = '2999-01-01T00:00:00.000Z';
  const rows: [status: 'draft' | 'scheduled' | 'published', at: string | null, expected: Explanation['publication']][] =
    [
      ['draft', past, { visible: false, since: null, until: null }],
      ['draft', future, { visible: false, since: null, until: null }],
      ['published', null, { visible: true, since: null, until: null }],
      ['published', past, { visible: true, since: past, until: null }],
      ['scheduled', past, { visible: true, since: past, until: null }],
      ['scheduled', future, { visible: false, since: null, until: future }],
    ];
  test.each(rows)('the explanation of the publication: status %s at %s', async (status, at, expected) => {
    const publishAt = at === null ? null : new Date(at);
    const { master, visitor } = await buildOne(app, { status, publishAt }, { publishable: true });
    const path = '/channels/articles/entries/one';
    const explain = async (query: string): Promise<Explanation> =>
      (await master.rest<Explanation>('GET', `${path}/access?as=anonymous${query}`)).body;
    expect((await explain('')).publication).toEqual(expected);
    expect((await visitor.rest('GET', path)).status).toBe(expected.visible ? 200 : 404);
    // Access control lets the entry be read all the same.
    expect((await explain('')).read.allowed).toBe(true);
    const later = await explain('&at=2999-01-01T00:00:00Z');
    expect(later.publication.visible).toBe(status !== 'draft');
  });

  test('the explanation of the publication in a channel that is not publishable: visible', async () => {
    const { master } = await buildOne(app, { status: 'draft' });
    const { body } = await master.rest<Explanation>('GET', '/channels/articles/entries/one/access?as=anonymous');
    expect(body.publication).toEqual({ visible: true, since: null, until: null });
  });
});

test('an explanation is found by each name of an entry of the channel and site, and has none of its values', async () => {
  const { db, site, master } = await buildScene(app, { readScope: 'none' });
  await buildCustomer(db, site.id, { id: 'ada' });
  const other = await buildScene(app, { id: 'elsewhere' });
  const scene = await buildOne(app, { owner: 'someone-else', data: { title: 'Secret title' } }, { readScope: 'none' });
  const { user } = await buildCallers(scene);
  const own = (await buildUser(scene.db, { memberOf: [scene.site.id] })).token;
  expect((await as(app, user).rest('GET', '/channels/articles/entries/one/access?as=anonymous')).status).toBe(404);
  await scene.master.rest('PATCH', '/channels/articles/entries/one', { body: { _acl: { '*': { read: true } } } });
  for (const who of [scene.master, as(app, { token: own, site: scene.site.id })]) {
    const { body } = await scene.master.rest('GET', '/channels/articles/entries/one');
    for (const name of ['one', body['id'], body['short_id']] as string[]) {
      const { status, text } = await who.rest('GET', `/channels/articles/entries/${name}/access?as=anonymous`);
      expect([status, text.includes('Secret'), text.includes('someone')]).toEqual([200, false, false]);
      const elsewhere = await master.rest('GET', `/channels/articles/entries/${name}/access?as=anonymous`);
      expect([elsewhere.status, elsewhere.body['code']]).toEqual([404, 'not_found']);
    }
    expect((await who.rest('GET', '/channels/articles/entries/No Name/access?as=anonymous')).status).toBe(404);
    expect((await who.rest('GET', '/channels/elsewhere/entries/one/access?as=anonymous')).status).toBe(404);
  }
  expect(other.channel.id).toBe('elsewhere');
});
