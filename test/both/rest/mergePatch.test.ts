// PATCH with application/merge-patch+json is RFC 7396; PUT, and PATCH with application/json, replace values whole
// (docs/contract.md §5.4, §12.3).
import { describe, expect, test } from '@jest/globals';
import type { EntryAcl } from '../../../src/rules/access.ts';
import { as, type Caller, type RestAnswer } from '../../support/as.ts';
import { buildCustomer } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const path = '/channels/articles/entries/one';
const headers = { 'Content-Type': 'application/merge-patch+json' };

function merge(caller: Caller, body: unknown, target = path): Promise<RestAnswer<Record<string, unknown>>> {
  return caller.rest('PATCH', target, { headers, body });
}

describe('_acl', () => {
  const acl: EntryAcl = { '*': { read: false }, 'role:desk': { read: true, update: true } };

  test('a merge patch that adds a grant to _acl leaves the denial to the public', async () => {
    const { master, visitor } = await buildOne(app, { acl });
    const patched = await merge(master, { _acl: { 'role:press': { read: true } } });
    expect(expectEntry(patched)._acl).toEqual({ ...acl, 'role:press': { read: true } });
    expectProblem(await visitor.rest('GET', path), 'not_found');
  });

  test('null in a merge patch of _acl removes an actor or its rule for an action, and null as _acl removes all', async () => {
    const { master } = await buildOne(app, { acl });
    const one = await merge(master, { _acl: { 'role:desk': { update: null }, 'role:nobody': null } });
    expect(expectEntry(one)._acl).toEqual({ '*': { read: false }, 'role:desk': { read: true } });
    expect(expectEntry(await merge(master, { _acl: { 'role:desk': null } }))._acl).toEqual({ '*': { read: false } });
    expect(expectEntry(await merge(master, { _acl: null }))._acl).toEqual({});
  });

  test('a merged _acl with an actor in both of its forms is refused', async () => {
    const { master } = await buildOne(app, { acl: { ada: { read: false } } });
    expectProblem(await merge(master, { _acl: { 'id:ada': { read: true } } }), 'validation_failed', ['_acl']);
    expectProblem(await merge(master, { _acl: 'public' }), 'validation_failed', ['_acl']);
    expect(expectEntry(await master.rest('GET', path))._acl).toEqual({ ada: { read: false } });
  });

  test.each(['PUT', 'PATCH'])('%s with application/json replaces the whole _acl', async (method) => {
    const { master } = await buildOne(app, { acl });
    const answer = await master.rest(method, path, { body: { _acl: { bob: { read: true } } } });
    expect(expectEntry(answer)._acl).toEqual({ bob: { read: true } });
  });
});

describe('values', () => {
  const place = { city: 'Bern', zip: { code: 3011, part: 'a' }, tags: [{ a: 1 }, null] };

  test('without declared fields, a merge patch merges objects, removes null members and replaces lists', async () => {
    const { master } = await buildOne(app, { data: { place, title: 'One', n: 1 } });
    const sent = { place: { zip: { part: null, more: { x: null, y: 1 } }, tags: [null, { b: null }] }, n: { a: 1 } };
    const entry = expectEntry(await merge(master, sent));
    expect(entry['place']).toEqual({ city: 'Bern', zip: { code: 3011, more: { y: 1 } }, tags: [null, { b: null }] });
    expect([entry['n'], entry['title']]).toEqual([{ a: 1 }, 'One']);
    const cleared = await merge(master, { place: null });
    expect([cleared.status, cleared.body['place']]).toEqual([200, undefined]);
  });

  const fields = [
    { name: 'meta', type: 'json' },
    { name: 'cover', type: 'file' },
    { name: 'spot', type: 'geo' },
    { name: 'author', type: 'reference', channel: 'articles' },
  ];
  const point = { type: 'Point', coordinates: [7.4, 46.9] };
  const cover = { url: 'https://example.com/a.png', filename: 'a.png', size: 5 };

  /** The entry `one` in a channel with declared fields that hold objects. */
  async function buildDeclared(): Promise<Caller> {
    const { master } = await buildOne(app);
    const values = { meta: { a: { b: 1, c: 2 } }, cover, spot: point, author: 'one' };
    const declared = await master.rest('PATCH', '/channels/articles', { body: { fields } });
    expect(declared.body['errors']).toBeUndefined();
    expect((await master.rest('PATCH', path, { body: values })).status).toBe(200);
    return master;
  }

  test('a merge patch merges json, file and geo fields', async () => {
    const master = await buildDeclared();
    const sent = {
      meta: { a: { b: null, d: 3 } },
      cover: { size: null, filename: 'b.png' },
      spot: { coordinates: [8, 47] },
    };
    expectEntry(await merge(master, sent));
    expect(expectEntry(await master.rest('GET', path))).toMatchObject({
      meta: { a: { c: 2, d: 3 } },
      cover: { url: cover.url, filename: 'b.png' },
      spot: { type: 'Point', coordinates: [8, 47] },
    });
  });

  test('the result of a merge is validated as a whole', async () => {
    const master = await buildDeclared();
    const before = (await master.rest('GET', path)).body;
    const refused = await merge(master, { cover: { url: null }, spot: { coordinates: null }, meta: { a: 1 } });
    expectProblem(refused, 'validation_failed', ['cover', 'spot']);
    expect((await master.rest('GET', path)).body).toEqual(before);
  });

  test('a merge patch may send a reference as it was read', async () => {
    const master = await buildDeclared();
    const { author } = (await master.rest('GET', path)).body;
    expectEntry(await merge(master, { author: null }));
    expect(expectEntry(await merge(master, { author }))['author']).toEqual(author);
  });

  test('a merge patch that changes nothing changes no version', async () => {
    const { master } = await buildOne(app, { data: { place }, acl: { ada: { read: true } } });
    const tag = (await master.rest('GET', path)).headers.get('etag');
    const sent = { place: { zip: { code: 3011, gone: null } }, _acl: { ada: {}, bob: null } };
    expect((await merge(master, sent)).headers.get('etag')).toBe(tag);
  });

  test('a merge beyond the limits of a body is refused', async () => {
    const { master } = await buildOne(app);
    const many = (from: number): object =>
      Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`m${from + index}`, 0]));
    expectEntry(await merge(master, { big: many(0) }));
    expectProblem(await merge(master, { big: many(6_000) }), 'bad_request');
    const half = (name: string): object => ({ long: { [name]: 'x'.repeat(600_000) } });
    expectEntry(await merge(master, half('a')));
    expectProblem(await merge(master, half('b')), 'payload_too_large');
  });
});

test('concurrent merge patches are each merged into the values that the others stored', async () => {
  const { master } = await buildOne(app, { data: { meta: { kept: true } } });
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
  const answers = await Promise.all(names.map((name) => merge(master, { meta: { [name]: 1 } })));
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  const { meta } = (await master.rest('GET', path)).body;
  expect(meta).toEqual({ kept: true, ...Object.fromEntries(names.map((name) => [name, 1])) });
});

test('a merge patch by a caller that may update and not read is refused without the hidden value', async () => {
  const { visitor, master } = await buildOne(
    app,
    { data: { secret: { a: 1 }, n: 1 }, acl: { '*': { read: false } } },
    { updateScope: 'public', readScope: 'public' },
  );
  for (const body of [{ secret: {} }, { secret: { b: 1 } }, { other: {} }]) {
    const refused = await merge(visitor, body);
    expectProblem(refused, 'forbidden');
    expect(refused.text).not.toContain('"a"');
  }
  // Values that replace what is there show nothing of it, and members that the caller cannot set are ignored.
  const done = await merge(visitor, { n: 2, _acl: { bob: { read: true } } });
  expect([done.status, done.body['n'], done.body['secret']]).toEqual([200, 2, undefined]);
  expect(expectEntry(await master.rest('GET', path))).toMatchObject({
    secret: { a: 1 },
    _acl: { '*': { read: false } },
  });
});

test('a merge patch by the owner, who may read the entry, is merged', async () => {
  const scene = await buildOne(
    app,
    { owner: 'ada', data: { meta: { a: 1 } } },
    { readScope: 'none', updateScope: 'private' },
  );
  const { session } = await buildCustomer(scene.db, scene.site.id, { id: 'ada' });
  const ada = as(app, { token: scene.site.public, session });
  expect((await merge(ada, { meta: { b: 2 } })).body['meta']).toEqual({ a: 1, b: 2 });
});

test('with one Idempotency-Key, a body as JSON and as a merge patch are different requests', async () => {
  const { master } = await buildOne(app, { data: { meta: { a: 1 } } });
  const body = { meta: { b: 2 } };
  const key = { 'Idempotency-Key': 'merge-or-not' };
  expectEntry(await master.rest('PATCH', path, { headers: key, body }));
  expectProblem(await master.rest('PATCH', path, { headers: { ...headers, ...key }, body }), 'validation_failed', [
    'Idempotency-Key',
  ]);
});

describe('a channel', () => {
  test('a merge patch of a channel keeps absent scopes, and is refused if it removes one', async () => {
    const { master } = await buildOne(app, {}, { readScope: 'none', updateScope: 'private' });
    const patched = await merge(master, { acl: { create: 'shared' } }, '/channels/articles');
    const acl = { create: 'shared', read: 'none', update: 'private', delete: 'none' };
    expect(patched.body['acl']).toEqual(acl);
    const refused = await merge(master, { acl: { read: null } }, '/channels/articles');
    expectProblem(refused, 'validation_failed', ['acl']);
    expect(refused.body['errors']).toEqual([{ field: 'acl', code: 'invalid', message: 'read: must not be null' }]);
    const json = await master.rest('PATCH', '/channels/articles', { body: { acl: { read: null } } });
    expect([json.status, json.body['acl']]).toEqual([200, acl]);
  });
});
