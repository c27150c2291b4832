// POST /channels/{channel_id}/entries (docs/contract.md §3 to §5).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { validate as isUuid, version as versionOf } from 'uuid';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildSite, buildUser } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('allowed', () => {
  test('an entry is answered whole, with its address and its entity tag, and is there', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    const master = as(app, { token: site.master });
    const before = Date.now();
    const answer = await master.rest('POST', '/channels/articles/entries', {
      body: { title: 'Hello World', year: 1927 },
    });
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

  test('custom fields come back as they were sent, whatever their names and kinds', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'things' });
    const fields = {
      constructor: 'c',
      toString: 't',
      hasOwnProperty: 1,
      'with space': 'x',
      'ünï.code 😀': '‮ 😀 \u0001 \\ " \u2028',
      [`n${'x'.repeat(254)}`]: true,
      nested: { a: [1, 2.5, -0.1, 1e300, null, { b: { _c: false } }], '': '' },
      list: [],
      empty: '',
      zero: 0,
      no: false,
    };
    const answer = await as(app, { token: site.master }).rest('POST', '/channels/things/entries', { body: fields });
    expect(expectEntry(answer, 201)).toMatchObject(fields);
  });

  test('a null member is no member', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    const body = { title: null, subtitle: null };
    const answer = await as(app, { token: site.master }).rest('POST', '/channels/articles/entries', { body });
    const entry = expectEntry(answer, 201);
    expect([entry['title'] ?? null, entry['subtitle'] ?? null, entry.title_field_value]).toEqual([null, null, null]);
  });

  test('the title is the value of the channel’s title field, as a string', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'years', titleField: 'year' });
    const master = as(app, { token: site.master });
    const answer = await master.rest('POST', '/channels/years/entries', { body: { title: 'no', year: 1927 } });
    expect(expectEntry(answer, 201)).toMatchObject({ title_field_value: '1927', slug: '1927' });
  });

  test('read-only members are ignored, so that what was read can be sent again', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    const master = as(app, { token: site.master });
    const first = expectEntry(await master.rest('POST', '/channels/articles/entries', { body: { title: 'One' } }), 201);
    const body = { ...first, slug: 'two', channel: 'elsewhere', id: 5, url: {}, created_at: 'long ago' };
    const second = expectEntry(await master.rest('POST', '/channels/articles/entries', { body }), 201);
    expect(second).toMatchObject({ slug: 'two', channel: 'articles', title: 'One' });
    expect([second.id, second.short_id, second.url, second.created_at]).not.toContain(5);
    expect(second.id).not.toBe(first.id);
    expect(second.short_id).not.toBe(first.short_id);
  });

  test('a master token sets _acl, _owner, _status and _publish_at, also with use_acl=true', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'news', publishable: true, createScope: 'public' });
    const set = {
      _acl: { ada: { read: true, create: false }, 'role:editor': { update: true, delete: false }, '*': {} },
      _owner: 'whoever',
      _status: 'scheduled',
      _publish_at: '2031-05-06T07:08:09.123Z',
    };
    const master = as(app, { token: site.master });
    const plain = await master.rest('POST', '/channels/news/entries', { body: set });
    expect(expectEntry(plain, 201)).toMatchObject(set);
    const checked = await master.rest('POST', '/channels/news/entries?use_acl=true', { body: set });
    const { id } = expectEntry(checked, 201);
    expect(expectEntry(await master.rest('GET', `/channels/news/entries/${id}`))).toMatchObject(set);
  });

  test('an access list may have 100 keys of 260 characters, and stays as it was written', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    const keys = Array.from({ length: 99 }, (_, index) => String(index).padStart(260, 'k'));
    const acl = Object.fromEntries([...keys, '__proto__'].map((key) => [key, { read: true }]));
    const body = JSON.stringify({ _acl: acl });
    const answer = await as(app, { token: site.master }).rest('POST', '/channels/articles/entries', { body });
    expect(Object.entries(expectEntry(answer, 201)._acl ?? {}).sort()).toEqual(Object.entries(acl).sort());
  });

  test('the owner: the session’s customer, or nobody, unless a master token names one', async () => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    await buildChannel(db, site.id, { id: 'posts', createScope: 'public' });
    const { session } = await buildCustomer(db, site.id, { id: 'ada' });
    const { token: user } = await buildUser(db, { memberOf: [site.id] });
    const owners = [
      [{ token: site.public }, {}, null],
      [{ token: site.public, session }, {}, 'ada'],
      [{ token: site.public, session }, { _owner: 'bob' }, 'ada'],
      [{ token: user, site: site.id }, { _owner: 'bob' }, null],
      [{ token: user, site: site.id, session }, {}, 'ada'],
      [{ token: site.master }, {}, null],
      [{ token: site.master, session }, {}, 'ada'],
      [{ token: site.master, session }, { _owner: 'bob' }, 'bob'],
      [{ token: site.master, session }, { _owner: null }, null],
      [{ token: site.master }, { _owner: 'o'.repeat(255) }, 'o'.repeat(255)],
    ] as const;
    for (const [credentials, body, owner] of owners) {
      const { slug } = expectEntry(await as(app, credentials).rest('POST', '/channels/posts/entries', { body }), 201);
      const stored = await as(app, { token: site.master }).rest('GET', `/channels/posts/entries/${slug}`);
      expect([credentials, body, expectEntry(stored)._owner]).toEqual([credentials, body, owner]);
    }
  });
});

describe('denied', () => {
  const callers = [
    'public',
    'public+ada',
    'user',
    'user+ada',
    'master',
    'master+use_acl',
    'master+ada+use_acl',
  ] as const;
  //                        public, public+ada, user, user+ada, master, master+use_acl, master+ada+use_acl
  test.each([
    ['public', [201, 201, 201, 201, 201, 201, 201]],
    ['shared', [403, 201, 403, 201, 201, 403, 201]],
    ['private', [403, 201, 403, 201, 201, 403, 201]],
    ['none', [403, 403, 403, 403, 201, 403, 403]],
  ] as const)('by the channel’s scope %s', async (createScope, expected) => {
    const db = app.database.prisma;
    const site = await buildSite(db);
    await buildChannel(db, site.id, { id: 'posts', createScope });
    const { session: ada } = await buildCustomer(db, site.id, { id: 'ada' });
    const { token: user } = await buildUser(db, { memberOf: [site.id] });
    const answers = callers.map(async (caller) => {
      const token = caller.startsWith('user') ? user : caller.startsWith('master') ? site.master : site.public;
      const credentials = { token, site: site.id, ...(caller.includes('ada') && { session: ada }) };
      const query = caller.endsWith('use_acl') ? '?use_acl=true' : '';
      return as(app, credentials).rest('POST', `/channels/posts/entries${query}`, { body: { title: caller } });
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(Object.fromEntries(callers.map((caller, index) => [caller, statuses[index]]))).toEqual(
      Object.fromEntries(callers.map((caller, index) => [caller, expected[index]])),
    );
    const stored = await as(app, { token: site.master }).rest('GET', '/channels/posts/entries/count');
    expect(stored.body).toEqual({ count: expected.filter((status) => status === 201).length });
  });

  test('with 403, before anything of the payload is judged', async () => {
    const site = await buildSite(app.database.prisma);
    await buildChannel(app.database.prisma, site.id, { id: 'articles' });
    const body = { slug: 'Not a slug', _nonsense: 1 };
    const answer = await as(app, { token: site.public }).rest('POST', '/channels/articles/entries', { body });
    expectProblem(answer, 'forbidden');
  });

  test('with 404 where there is no such channel in the site', async () => {
    const db = app.database.prisma;
    const [site, other] = [await buildSite(db), await buildSite(db)];
    await buildChannel(db, other.id, { id: 'elsewhere', createScope: 'public' });
    const master = as(app, { token: site.master });
    for (const channel of ['elsewhere', 'nowhere', 'No-Handle', 'x'.repeat(64), '-', '__proto__', 'constructor']) {
      expectProblem(await master.rest('POST', `/channels/${channel}/entries`, { body: {} }), 'not_found');
    }
  });
});
