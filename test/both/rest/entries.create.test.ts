// POST /channels/{channel_id}/entries (docs/contract.md §3 to §5).
import { describe, expect, test } from '@jest/globals';
import { validate as isUuid, version as versionOf } from 'uuid';
import { as } from '../../support/as.ts';
import { expectEntry } from '../../support/expect.ts';
import { buildCallers, buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const path = '/channels/articles/entries';

describe('allowed', () => {
  test('a create answers the whole entry, with its address and its entity tag, and stores it', async () => {
    const { site, master } = await buildScene(app);
    const before = Date.now();
    const answer = await master.rest('POST', path, { body: { title: 'Hello World', year: 1927 } });
    const entry = expectEntry(answer, 201);

    expect(entry).toEqual({
      id: expect.any(String),
      url: `${app.url}/channels/articles/entries/${entry.id}`,
      short_id: expect.stringMatching(/^(?=.*[A-Z])[0-9A-Za-z]{10}$/),
      slug: 'hello-world',
      channel: 'articles',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: entry.created_at,
      title_field_value: 'Hello World',
      _status: 'published',
      _publish_at: null,
      _acl: {},
      _owner: null,
      title: 'Hello World',
      year: 1927,
    });
    expect([isUuid(entry.id), versionOf(entry.id)]).toEqual([true, 7]);
    expect(Date.parse(entry.created_at)).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(entry.created_at)).toBeLessThanOrEqual(Date.now());
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.headers.get('location')).toBe(entry.url);
    expect(answer.headers.get('etag')).toMatch(/^"[^"]+"$/);
    const fetched = await fetch(entry.url, { headers: { Authorization: `Bearer ${site.master}` } });
    expect([await fetched.json(), fetched.headers.get('etag')]).toEqual([entry, answer.headers.get('etag')]);
  });

  test('a create ignores null members', async () => {
    const { master } = await buildScene(app);
    const entry = expectEntry(await master.rest('POST', path, { body: { title: null, subtitle: null } }), 201);
    expect([entry['title'] ?? null, entry['subtitle'] ?? null, entry.title_field_value]).toEqual([null, null, null]);
  });

  test('a create ignores read-only members, so that an answer can be sent again', async () => {
    const { master } = await buildScene(app);
    const first = expectEntry(await master.rest('POST', path, { body: { title: 'One' } }), 201);
    const body = { ...first, slug: 'two', channel: 'elsewhere', id: 5, url: {}, created_at: 'long ago' };
    const second = expectEntry(await master.rest('POST', path, { body }), 201);
    expect(second).toMatchObject({ slug: 'two', channel: 'articles', title: 'One' });
    expect([second.id, second.short_id, second.url, second.created_at]).not.toContain(5);
    expect(second.id).not.toBe(first.id);
    expect(second.short_id).not.toBe(first.short_id);
  });

  test('a create by a master token sets _acl, _owner, _status and _publish_at, also with use_acl=true', async () => {
    const { master } = await buildScene(app, { publishable: true, createScope: 'public' });
    const set = {
      _acl: { ada: { read: true, create: false }, 'role:editor': { update: true, delete: false }, '*': {} },
      _owner: 'whoever',
      _status: 'scheduled',
      _publish_at: '2031-05-06T07:08:09.123Z',
    };
    expect(expectEntry(await master.rest('POST', path, { body: set }), 201)).toMatchObject(set);
    const { id } = expectEntry(await master.rest('POST', `${path}?use_acl=true`, { body: set }), 201);
    expect(expectEntry(await master.rest('GET', `${path}/${id}`))).toMatchObject(set);
  });

  test('an access list may have 100 keys of 260 characters, and stays as it was written', async () => {
    const { master } = await buildScene(app);
    const keys = Array.from({ length: 99 }, (_, index) => String(index).padStart(260, 'k'));
    const acl = Object.fromEntries([...keys, '__proto__'].map((key) => [key, { read: true }]));
    const body = JSON.stringify({ _acl: acl });
    const answer = await master.rest('POST', path, { body });
    expect(Object.entries(expectEntry(answer, 201)._acl ?? {}).sort()).toEqual(Object.entries(acl).sort());
  });

  test('the owner of a new entry is the session’s customer, or nobody, unless a master token names one', async () => {
    const scene = await buildScene(app, { createScope: 'public' });
    const callers = await buildCallers(scene);
    const owners = [
      ['public', {}, null],
      ['ada', {}, 'ada'],
      ['ada', { _owner: 'bob' }, 'ada'],
      ['user', { _owner: 'bob' }, null],
      ['user+ada', {}, 'ada'],
      ['master', {}, null],
      ['master+ada', {}, 'ada'],
      ['master+ada', { _owner: 'bob' }, 'bob'],
      ['master+ada', { _owner: null }, null],
      ['master', { _owner: 'o'.repeat(255) }, 'o'.repeat(255)],
    ] as const;
    for (const [name, body, owner] of owners) {
      const { slug } = expectEntry(await as(app, callers[name]).rest('POST', path, { body }), 201);
      const stored = await scene.master.rest('GET', `${path}/${slug}`);
      expect([name, body, expectEntry(stored)._owner]).toEqual([name, body, owner]);
    }
  });
});
