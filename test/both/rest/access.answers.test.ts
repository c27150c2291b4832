// What a caller is told of an entry: `_acl` and `_owner`, and the limited answer to a writer who could not read it
// (docs/contract.md §3).
import { describe, expect, test } from '@jest/globals';
import { as, type Credentials } from '../../support/as.ts';
import { buildEntry, type buildChannel } from '../../support/build.ts';
import { expectEntry } from '../../support/expect.ts';
import { buildCallers, buildScene, suiteApp, type CallerName } from '../../support/scene.ts';

const app = await suiteApp();

const path = '/channels/articles/entries';
const one = `${path}/one`;

/** A site with ada, bob, a user, and the entry `one`, ada's. */
async function buildCast(
  scopes: Parameters<typeof buildChannel>[2],
  entry: Parameters<typeof buildEntry>[2],
): Promise<Record<CallerName, Credentials>> {
  const scene = await buildScene(app, scopes);
  await buildEntry(scene.db, scene.channel, { slug: 'one', owner: 'ada', ...entry });
  return buildCallers(scene);
}

describe('_acl and _owner', () => {
  test('_acl and _owner are shown to master and user tokens and to the owner, and to no other caller, in every operation', async () => {
    const acl = { cora: { read: true } };
    const all = { createScope: 'public', updateScope: 'public' } as const;
    const callers = await buildCast(all, { acl });
    for (const [name, credentials] of Object.entries(callers)) {
      const caller = as(app, credentials);
      const list = await caller.rest<Record<string, unknown>[]>('GET', path);
      const shown = [
        expectEntry(await caller.rest('GET', one)),
        list.body.find(({ slug }) => slug === 'one') ?? {},
        expectEntry(await caller.rest('PUT', one, { body: { by: name } })),
      ].map(({ _acl, _owner }) => ({ _acl, _owner }));
      const sees = name !== 'public' && name !== 'bob';
      const expected = sees ? { _acl: acl, _owner: 'ada' } : {};
      expect([name, shown]).toEqual([name, Array(3).fill(expected)]);
    }
  });

  test('_acl and _owner are shown to the creator of an entry who owns it', async () => {
    const callers = await buildCast({ createScope: 'public' }, {});
    const created = async (credentials: Credentials): Promise<unknown[]> => {
      const { _acl, _owner } = expectEntry(await as(app, credentials).rest('POST', path, { body: {} }), 201);
      return [_acl, _owner];
    };
    expect(await created(callers.bob)).toEqual([{}, 'bob']);
    expect(await created(callers.public)).toEqual([undefined, undefined]);
    expect(await created(callers.user)).toEqual([{}, null]);
    expect(await created(callers.master)).toEqual([{}, null]);
  });

  test('_acl and _owner in a payload are ignored from all but master tokens, so that an answer can be sent back', async () => {
    const acl = { bob: { update: true } };
    const callers = await buildCast({ createScope: 'public', updateScope: 'public' }, { acl });
    const grab = { _acl: { bob: { read: true, delete: true } }, _owner: 'bob' };
    for (const name of ['public', 'ada', 'bob', 'user', 'user+bob'] as const) {
      for (const body of [grab, { _acl: null, _owner: null }, { _acl: 'nonsense', _owner: 5 }]) {
        const answer = await as(app, callers[name]).rest('PATCH', one, { body: { ...body, by: name } });
        expectEntry(answer);
        const stored = expectEntry(await as(app, callers.master).rest('GET', one));
        expect([name, stored._acl, stored._owner, stored['by']]).toEqual([name, acl, 'ada', name]);
      }
    }
    const created = await as(app, callers.bob).rest('POST', path, { body: { ...grab, _owner: 'cora' } });
    const stored = await as(app, callers.master).rest('GET', `${path}/${expectEntry(created, 201).id}`);
    expect(expectEntry(stored)).toMatchObject({ _acl: {}, _owner: 'bob' });
  });
});

describe('the answer to a writer who could not read the entry', () => {
  const fixed = ['id', 'short_id', 'slug', 'url', 'channel', 'created_at', 'updated_at', '_status', '_publish_at'];
  const hidden = { acl: { '*': { read: false } }, data: { title: 'Secret', secret: 'x', note: 'y', seen: 1 } };

  test('the answer to a writer who could not read the entry has its names, times and state, and the members of the payload', async () => {
    const callers = await buildCast({ updateScope: 'public' }, hidden);
    for (const name of ['public', 'bob', 'user', 'user+bob'] as const) {
      const answer = await as(app, callers[name]).rest('PUT', one, { body: { note: 'new', more: { a: 1 } } });
      const entry = expectEntry(answer);
      expect([name, Object.keys(entry).sort()]).toEqual([name, [...fixed, 'note', 'more'].sort()]);
      expect(entry).toMatchObject({ slug: 'one', note: 'new', more: { a: 1 } });
      expect(answer.text).not.toMatch(/Secret|secret/);
    }
  });

  test('the answer to a writer who could not read the entry reveals no member that the payload did not change', async () => {
    const callers = await buildCast({ updateScope: 'public' }, hidden);
    const empty = expectEntry(await as(app, callers.bob).rest('PATCH', one, { body: {} }));
    expect(Object.keys(empty).sort()).toEqual([...fixed].sort());
    const cleared = expectEntry(await as(app, callers.bob).rest('PATCH', one, { body: { secret: null } }));
    expect([cleared['secret'] ?? null, cleared['title'], cleared.title_field_value]).toEqual([
      null,
      undefined,
      undefined,
    ]);
  });

  test('the answer is limited even if the update itself opens the entry: the access before counts', async () => {
    const callers = await buildCast({ updateScope: 'public' }, hidden);
    const body = { _acl: { '*': { read: true } }, note: 'new' };
    const answer = await as(app, callers['master+bob']).rest('PUT', `${one}?use_acl=true`, { body });
    const entry = expectEntry(answer);
    expect(answer.text).not.toMatch(/Secret|secret/);
    expect(entry).toMatchObject({ note: 'new', _acl: { '*': { read: true } } });
    expect(entry._owner).toBeUndefined();
  });

  test('the answer is whole for the owner, and for a master token that bypasses access control', async () => {
    const denied = { ...hidden, acl: { '*': { read: false }, ada: { read: false } } };
    const callers = await buildCast({ updateScope: 'public' }, denied);
    for (const name of ['ada', 'master', 'master+bob'] as const) {
      const entry = expectEntry(await as(app, callers[name]).rest('PUT', one, { body: { note: name } }));
      expect([name, entry['secret'], entry._owner, entry.title_field_value]).toEqual([name, 'x', 'ada', 'Secret']);
    }
  });
});
