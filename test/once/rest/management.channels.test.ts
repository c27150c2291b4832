// Channels over REST: the same channels as over GraphQL, and the same refusals (docs/contract.md §3.8, §12.3).
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { expectData, expectProblem } from '../../support/expect.ts';
import { buildManaged, expectNoRight } from '../../support/managed.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const db = app.database.prisma;

const build = () => buildManaged(app);

const unset = { label: null, hint: null, unique: false, indexed: false, default: null, options: null, channel: null };
const title = {
  name: 'title',
  type: 'string',
  required: true,
  ...unset,
  min: null,
  max: null,
  pattern: null,
  message: null,
};
const films = {
  id: 'films',
  name: 'Films',
  description: 'What is shown',
  publishable: true,
  acl: { create: 'private', read: 'shared', update: 'none', delete: 'none' },
  title_field: 'title',
  titleField: 'title',
  language: 'german',
  type_name: 'Film',
  typeName: 'Film',
  layout: { groups: [{ label: 'Main', columns: 2, fields: ['title'] }] },
  fields: [title],
};
const post = (caller: Caller, body: unknown) => caller.rest('POST', '/channels', { body });

const whole = `{ id name description publishable acl { create read update delete } titleField language typeName layout
  fields { name type required } }`;

test('channels that one door creates are fetched and listed by the other', async () => {
  const { master } = await build();
  const made = await post(master, films);
  expect([made.status, made.body]).toEqual([201, films]);
  expect(made.headers.get('location')).toBe(`${app.url}/channels/films`);
  expect((await master.rest('GET', '/channels/films')).body).toEqual(films);
  const { channel } = expectData(await master.gql(`{ channel(id: "films") ${whole} }`));
  const { title_field: _title, type_name: _type, ...named } = films;
  expect(channel).toEqual({
    ...named,
    acl: { create: 'PRIVATE', read: 'SHARED', update: 'NONE', delete: 'NONE' },
    fields: [{ name: 'title', type: 'STRING', required: true }],
  });
  expectData(await master.gql('mutation { createChannel(input: { id: "people", acl: { read: NONE } }) { id } }'));
  const { status, body } = await master.rest<{ id: string; acl: object }[]>('GET', '/channels');
  expect([status, body.map(({ id }) => id)]).toEqual([200, ['films', 'people']]);
  expect(body[1]?.acl).toEqual({ create: 'none', read: 'none', update: 'none', delete: 'none' });
});

test('scopes and types of fields are accepted in either letter case', async () => {
  const { master } = await build();
  const acl = { create: 'PRIVATE', read: 'Shared', update: 'NONE' };
  const made = await post(master, { ...films, acl, fields: [{ name: 'title', type: 'STRING', required: true }] });
  expect([made.status, made.body]).toEqual([201, films]);
});

test('an update of a channel sets the sent settings, an answer can be sent back, and a merge patch is accepted', async () => {
  const { master } = await build();
  await post(master, films);
  const merge = { 'Content-Type': 'application/merge-patch+json' };
  const body = { description: null, acl: { read: 'public' } };
  const changed = await master.rest('PATCH', '/channels/films', { headers: merge, body: JSON.stringify(body) });
  const after = { ...films, description: null, acl: { ...films.acl, read: 'public' } };
  expect([changed.status, changed.body]).toEqual([200, after]);
  const again = await master.rest('PATCH', '/channels/films', { body: changed.body });
  expect([again.status, again.body]).toEqual([200, after]);
  expect(expectData(await master.gql(`{ channel(id: "films") { description } }`))).toEqual({
    channel: { description: null },
  });
});

test('a change of a channel that shows hidden entries, and a deletion, need its id as confirmation', async () => {
  const { site, master } = await build();
  const channel = await buildChannel(db, site.id, { id: 'news', publishable: true });
  await buildEntry(db, channel, { status: 'draft' });
  const patch = (query: string) => master.rest('PATCH', `/channels/news${query}`, { body: { publishable: false } });
  expectProblem(await patch(''), 'conflict', ['publishable']);
  expectProblem(await patch('?confirm=films'), 'conflict', ['publishable']);
  expect((await patch('?confirm=news')).status).toBe(200);
  for (const query of ['', '?confirm=', '?confirm=films']) {
    expectProblem(await master.rest('DELETE', `/channels/news${query}`), 'bad_request');
  }
  const gone = await master.rest('DELETE', '/channels/news?confirm=news');
  expect([gone.status, gone.text]).toEqual([204, '']);
  expectProblem(await master.rest('GET', '/channels/news'), 'not_found');
  expectProblem(await master.rest('DELETE', '/channels/news?confirm=news'), 'not_found');
  expectProblem(await master.rest('PATCH', '/channels/news', { body: {} }), 'not_found');
  expect(expectData(await master.gql('{ channel(id: "news") { id } }'))).toEqual({ channel: null });
});

describe('layout', () => {
  const [open, size] = ['{"a":""}'.length, 16_384];
  const layoutOf = (bytes: number) => ({ a: 'x'.repeat(bytes - open) });

  test('a layout of 16 KiB is stored, null clears it, and a merge patch is merged into it', async () => {
    const { master } = await build();
    const patch = async (layout: unknown, headers: Record<string, string> = {}) =>
      (await master.rest('PATCH', '/channels/films', { body: JSON.stringify({ layout }), headers })).body['layout'];
    await post(master, { ...films, layout: undefined });
    expect((await master.rest('GET', '/channels/films')).body).toEqual({ ...films, layout: null });
    expect(await patch(layoutOf(size))).toEqual(layoutOf(size));
    expect(await patch({ a: [1, { b: null }], c: 2 })).toEqual({ a: [1, { b: null }], c: 2 });
    const merge = { 'Content-Type': 'application/merge-patch+json' };
    expect(await patch({ c: null, d: 3 }, merge)).toEqual({ a: [1, { b: null }], d: 3 });
    expect(await patch(null)).toBeNull();
  });

  test('a layout of more than 16 KiB is refused as too_large by both doors, also one that a merge patch makes', async () => {
    const { master } = await build();
    await post(master, { ...films, layout: layoutOf(size) });
    const tooLarge = { errors: [expect.objectContaining({ field: 'layout', code: 'too_large' })] };
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const refused = [
      await post(master, { id: 'others', layout: layoutOf(size + 1) }),
      await master.rest('PATCH', '/channels/films', { body: { layout: { ...layoutOf(size), b: 1 } } }),
      await master.rest('PATCH', '/channels/films', { body: JSON.stringify({ layout: { b: 1 } }), headers }),
    ];
    for (const answer of refused) {
      expectProblem(answer, 'validation_failed', ['layout']);
      expect(answer.body).toMatchObject(tooLarge);
    }
    const document = 'mutation ($layout: JSONObject) { updateChannel(id: "films", input: { layout: $layout }) { id } }';
    const { errors } = await master.gql(document, { layout: { ...layoutOf(size), b: 1 } });
    expect(errors?.[0]?.extensions).toMatchObject(tooLarge);
    for (const layout of [[], 'text', 7]) {
      expectProblem(await post(master, { id: 'others', layout }), 'validation_failed', ['layout']);
    }
    expect((await master.rest('GET', '/channels/films')).body['layout']).toEqual(layoutOf(size));
  });

  test('a layout is told to master and user tokens by both doors and in the audit log, and to public tokens by none', async () => {
    const { master, member, visitor } = await build();
    const layout = { groups: [{ label: 'Backstage', fields: ['hidden'] }] };
    await master.gql(
      'mutation ($layout: JSONObject) { createChannel(input: { id: "films", layout: $layout }) { id } }',
      {
        layout,
      },
    );
    for (const caller of [master, member]) {
      expect((await caller.rest('GET', '/channels/films')).body).toMatchObject({ layout });
      expect(expectData(await caller.gql('{ channel(id: "films") { layout } }'))).toEqual({ channel: { layout } });
      expect(expectData(await caller.gql('{ channels { layout } }'))).toEqual({ channels: [{ layout }] });
    }
    const { body: records } = await master.rest<{ after: unknown }[]>('GET', '/audit');
    expect(records[0]?.after).toMatchObject({ layout });
    expect(expectData(await visitor.gql('{ channels { layout } channel(id: "films") { layout } }'))).toEqual({
      channels: [{ layout: null }],
      channel: { layout: null },
    });
    for (const path of ['/channels', '/channels/films', '/openapi.json', '/changes?include=entry'])
      expect((await visitor.rest('GET', path)).text).not.toContain('Backstage');
    expect((await visitor.rest('GET', '/channels/films')).body).not.toHaveProperty('layout');
  });
});

describe('settings that have two names', () => {
  const both = { title_field: 'name', titleField: 'name', type_name: 'Person', typeName: 'Person' };
  test.each([
    ['the names of REST', { title_field: 'name', type_name: 'Person' }],
    ['the older ones', { titleField: 'name', typeName: 'Person' }],
    ['one of each', { title_field: 'name', typeName: 'Person' }],
    ['both, with equal values', both],
  ])('settings with two names are set by %s, in a POST and a PATCH', async (_how, settings) => {
    const { master } = await build();
    const made = await post(master, { id: 'people', ...settings });
    expect([made.status, made.body]).toEqual([201, expect.objectContaining(both)]);
    await post(master, { id: 'others' });
    const changed = await master.rest('PATCH', '/channels/others', { body: settings });
    expect([changed.status, changed.body]).toEqual([200, expect.objectContaining({ id: 'others', ...both })]);
    const cleared = await master.rest('PATCH', '/channels/others', { body: { type_name: null } });
    expect(cleared.body).toMatchObject({ title_field: 'name', titleField: 'name', type_name: null, typeName: null });
  });

  test('settings sent under both names with different values: 422 that names both, and nothing is stored', async () => {
    const { master } = await build();
    await post(master, films);
    const body = { name: 'New', title_field: 'name', titleField: 'title', type_name: null, typeName: 'Film' };
    const refused = await master.rest('PATCH', '/channels/films', { body });
    expectProblem(refused, 'validation_failed', ['title_field', 'type_name']);
    const message = (older: string, name: string): string =>
      `differs from "${older}", which is an older name of "${name}": send one of them`;
    expect(refused.body['errors']).toEqual([
      { field: 'title_field', code: 'contradiction', message: message('titleField', 'title_field') },
      { field: 'type_name', code: 'contradiction', message: message('typeName', 'type_name') },
    ]);
    expectProblem(await post(master, { ...body, id: 'people' }), 'validation_failed', ['title_field', 'type_name']);
    expect((await master.rest('GET', '/channels')).body).toEqual([films]);
  });

  test('errors of settings with two names use the sent name', async () => {
    const { master } = await build();
    const sent = [
      { title_field: 'slug', typeName: 'film' },
      { titleField: 'slug', type_name: 'film' },
    ];
    for (const settings of sent) {
      expectProblem(await post(master, { id: 'films', ...settings }), 'validation_failed', Object.keys(settings));
    }
  });

  test('settings with two names in REST have one name in GraphQL', async () => {
    const { master } = await build();
    const refused = await master.gql('mutation { createChannel(input: { id: "a", title_field: "name" }) { id } }');
    expect(refused.errors?.[0]?.message).toContain('title_field');
  });
});

describe('reads', () => {
  test('a user token reads all channels, a public token the known ones without their settings', async () => {
    const { master, visitor, member } = await build();
    await post(master, { ...films, acl: { read: 'public' } });
    await post(master, { id: 'desk', acl: { read: 'none' } });
    expect((await member.rest<object[]>('GET', '/channels')).body).toEqual(
      (await master.rest('GET', '/channels')).body,
    );
    const { id, name, publishable, title_field, titleField, fields } = films;
    const known = { id, name, publishable, title_field, titleField, fields };
    expect((await visitor.rest('GET', '/channels')).body).toEqual([known]);
    expect((await visitor.rest('GET', '/channels/films')).body).toEqual(known);
    for (const hidden of ['desk', 'nowhere', 'No Handle']) {
      expectProblem(await visitor.rest('GET', `/channels/${encodeURIComponent(hidden)}`), 'not_found');
    }
  });

  test('the routes of channels answer HEAD and OPTIONS, refuse other methods, and leave the paths of entries', async () => {
    const { master } = await build();
    await post(master, films);
    const head = await master.rest('HEAD', '/channels/films');
    expect([head.status, head.text]).toEqual([200, '']);
    const options = await master.rest('OPTIONS', '/channels/films');
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, PATCH, DELETE, HEAD, OPTIONS']);
    expect(options.headers.get('accept-patch')).toBe('application/json, application/merge-patch+json');
    const put = await master.rest('PUT', '/channels/films', { body: films });
    expectProblem(put, 'method_not_allowed');
    expect(put.headers.get('allow')).toBe('GET, PATCH, DELETE, HEAD, OPTIONS');
    expectProblem(await master.rest('GET', '/channels?page=1'), 'bad_request');
    expect((await master.rest('GET', '/channels/films/entries')).body).toEqual([]);
  });

  test('a list of channels above ANSWER_LIMIT is refused', async () => {
    const { site, master } = await build();
    const options = Array.from({ length: 800 }, (_, index) => `${index} ${'x'.repeat(240)}`);
    const fields = [{ name: 'kind', type: 'select', options }] as const;
    const data = Array.from({ length: 100 }, (_, index) => `big-${index}`);
    for (const id of data) await buildChannel(db, site.id, { id, fields: [...fields] });
    expectProblem(await master.rest('GET', '/channels'), 'answer_too_large');
  });
});

describe('refusals', () => {
  test('a token that does not manage gets 403 on channels, whatever it sends', async () => {
    const site = await build();
    await post(site.master, films);
    for (const body of [{ id: 'own' }, { id: 'No Handle' }]) {
      await expectNoRight(site, 'channels', (caller) => post(caller, body));
    }
    const patch = (path: string, body: object) => (caller: Caller) => caller.rest('PATCH', path, { body });
    await expectNoRight(site, 'channels', patch('/channels/films', { nmae: 5 }));
    await expectNoRight(site, 'channels', patch('/channels/nowhere', {}));
    await expectNoRight(site, 'channels', (caller) => caller.rest('DELETE', '/channels/films?confirm=films'));
    expectProblem(await post(as(app), { id: 'own' }), 'unauthenticated');
  });

  test('a channel with a taken id: 409', async () => {
    const { master } = await build();
    await post(master, films);
    expectProblem(await post(master, films), 'conflict', ['id']);
  });

  test('a channel with invalid values: 422 with all of their names', async () => {
    const { master } = await build();
    await post(master, films);
    const wrong = { id: 'A', name: 5, publishable: 'yes', acl: [], titleField: 'slug', language: 'x', fields: {} };
    const refused = await post(master, { ...wrong, titlefield: 'x', __proto__x: 1 });
    expectProblem(refused, 'validation_failed', ['titlefield', '__proto__x', ...Object.keys(wrong)]);
    expect(refused.body['errors']).toEqual(
      expect.arrayContaining([
        {
          field: 'titlefield',
          code: 'unknown_field',
          message: 'is not a member that can be set; did you mean "title_field"?',
        },
        { field: 'name', code: 'invalid', message: 'must be text' },
        { field: 'publishable', code: 'invalid', message: 'must be true or false' },
        { field: 'fields', code: 'invalid', message: 'must be a list of fields' },
      ]),
    );
    const nested = { acl: { reed: 'public' }, fields: [{ name: 'a', type: 'string', requird: true }] };
    expectProblem(await master.rest('PATCH', '/channels/films', { body: nested }), 'validation_failed', [
      'acl',
      'fields',
    ]);
    const large = '{"fields": [{"name": "n", "type": "integer", "min": 12345678901234567890}]}';
    const unstorable = await master.rest('PATCH', '/channels/films', { body: large });
    expectProblem(unstorable, 'validation_failed', ['fields']);
    expect(unstorable.body['errors']).toMatchObject([{ code: 'out_of_range' }]);
    expect((await master.rest('GET', '/channels/films')).body).toEqual(films);
  });

  test.each(['[]', '"films"', 'null', '5'])('a channel’s body that is %s: 400', async (body) => {
    const { master } = await build();
    expectProblem(await post(master, body), 'bad_request');
    expectProblem(await master.rest('PATCH', '/channels/films', { body }), 'bad_request');
  });

  test('a channel’s body without a media type: 415', async () => {
    const { master } = await build();
    const headers = { 'Content-Type': 'text/plain' };
    expectProblem(await master.rest('POST', '/channels', { body: '{}', headers }), 'unsupported_media_type');
  });
});

test('a create of a channel that is repeated with its Idempotency-Key creates one', async () => {
  const { master } = await build();
  const options = { body: films, headers: { 'Idempotency-Key': 'films-1' } };
  const first = await master.rest('POST', '/channels', options);
  const second = await master.rest('POST', '/channels', options);
  expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
  expect(second.headers.get('location')).toBe(first.headers.get('location'));
  expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  const dropped = { headers: { 'Idempotency-Key': 'films-2' } };
  for (const replayed of [null, 'true']) {
    const gone = await master.rest('DELETE', '/channels/films?confirm=films', dropped);
    expect([gone.status, gone.headers.get('idempotent-replayed')]).toEqual([204, replayed]);
  }
});
