// Declared fields are always there, and only what is asked for (docs/contract.md §5.2, §6.4, §7.2).
import { beforeEach, describe, expect, test } from '@jest/globals';
import { expectData, expectEntry, expectProblem } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp();
const path = '/channels/films/entries';
const empty = { title: null, year: null, tags: [], words: [], any: null, best: null, cast: [] };

let scene: Scene;
beforeEach(async () => {
  scene = await buildScene(app);
  for (const [id, fields] of [
    [
      'plain',
      '{ name: "title", type: STRING }, { name: "tags", type: STRINGS, min: 1 }, { name: "year", type: INTEGER }',
    ],
    [
      'films',
      `{ name: "title", type: STRING }, { name: "year", type: INTEGER }, { name: "any", type: JSON },
       { name: "tags", type: MULTI_SELECT, options: ["a", "b"] }, { name: "words", type: STRINGS },
       { name: "best", type: REFERENCE, channel: "films" }, { name: "cast", type: REFERENCES, channel: "films" }`,
    ],
  ] as const) {
    expectData(
      await scene.master.gql(`mutation { createChannel(input: { id: "${id}", fields: [${fields}] }) { id } }`),
    );
  }
});

const post = async (body: object, at = path) => expectEntry(await scene.master.rest('POST', at, { body }), 201);
const fieldsOf = (channel: string, id: string, selection: string) =>
  scene.master.gql<{ entry: Record<string, unknown> }>(
    `{ entry(channel: "${channel}", id: "${id}") { ${selection} } }`,
  );

describe('declared fields without a value', () => {
  test.each([
    ['plain', { title: null, tags: [], year: null }],
    ['films', empty],
  ])('declared fields without a value are null or empty lists in each answer: %s', async (channel, expected) => {
    const at = `/channels/${channel}/entries`;
    const { id, ...created } = await post({}, at);
    expect(created).toMatchObject(expected);
    await post({ title: 'Full', tags: ['a'], year: 1 }, at);
    expect(expectEntry(await scene.master.rest('GET', `${at}/${id}`))).toMatchObject(expected);
    const list = await scene.master.rest<Record<string, unknown>[]>('GET', `${at}?sort=created_at`);
    expect(list.body).toMatchObject([expected, { title: 'Full', tags: ['a'], year: 1 }]);
    expect((await scene.master.rest<unknown[]>('GET', `${at}?only=year,tags&sort=created_at`)).body).toEqual([
      { id, year: null, tags: [] },
      { id: expect.any(String), year: 1, tags: ['a'] },
    ]);
    const { entry } = expectData(await fieldsOf(channel, id, 'fields'));
    expect(entry['fields']).toEqual(expected);
  });

  test('an answer with declared fields without a value can be sent back, and changes nothing', async () => {
    for (const channel of ['plain', 'films']) {
      const at = `/channels/${channel}/entries`;
      const { id } = await post({}, at);
      const first = await scene.master.rest('GET', `${at}/${id}`);
      const again = await scene.master.rest('PUT', `${at}/${id}`, { body: first.body });
      expect([expectEntry(again), again.headers.get('etag')]).toEqual([first.body, first.headers.get('etag')]);
    }
  });

  test('an empty list clears an optional field, and is refused for a required one', async () => {
    const { id } = await post({ tags: ['a'] });
    expect(expectEntry(await scene.master.rest('PATCH', `${path}/${id}`, { body: { tags: [] } }))['tags']).toEqual([]);
    expect((await scene.master.rest<unknown[]>('GET', `${path}?tags.exists=true`)).body).toEqual([]);
  });

  test('without declared fields, answers have only stored ones', async () => {
    const { id } = await post({ list: [] }, '/channels/articles/entries');
    const { entry } = expectData(await fieldsOf('articles', id, 'fields'));
    expect(entry['fields']).toEqual({ list: [] });
  });

  test('a field that is declared later is in each answer at once', async () => {
    const { id } = await post({ title: 'A' }, '/channels/articles/entries');
    const declare =
      'mutation { updateChannel(id: "articles", input: { fields: [{ name: "title", type: STRING }, { name: "tags", type: STRINGS }] }) { id } }';
    expectData(await scene.master.gql(declare));
    expect(expectEntry(await scene.master.rest('GET', `/channels/articles/entries/${id}`))['tags']).toEqual([]);
  });
});

describe('versions in REST', () => {
  test('only=_version and the etag of a bulk’s result can be sent as If-Match', async () => {
    const { id } = await post({ title: 'A' });
    await scene.master.rest('PATCH', `${path}/${id}`, { body: { title: 'B' } });
    expect((await scene.master.rest('GET', `${path}?only=_version,title`)).body).toEqual([
      { id, title: 'B', _version: 2 },
    ]);
    expect((await scene.master.rest('GET', `${path}/${id}?only=_version`)).body).toEqual({ id, _version: 2 });
    const bulk = (operations: object[]) =>
      scene.master.rest<{ results: { status: number; etag?: string; entry?: { id: string } }[] }>(
        'POST',
        `${path}/bulk`,
        {
          body: { operations },
        },
      );
    const { results } = (
      await bulk([
        { op: 'update', id, data: { title: 'C' } },
        { op: 'create', data: {} },
      ])
    ).body;
    const [updated, created] = results;
    expect(updated?.etag).toMatch(/^"3\./);
    expect(created?.etag).toMatch(/^"1\./);
    expect((await scene.master.rest('GET', `${path}/${id}`)).headers.get('etag')).toBe(updated?.etag);
    const matched = await bulk([
      { op: 'update', id, if_match: updated?.etag, data: { title: 'D' } },
      { op: 'delete', id, if_match: updated?.etag },
    ]);
    expect(matched.body.results.map(({ status, etag }) => [status, typeof etag])).toEqual([
      [200, 'string'],
      [412, 'undefined'],
    ]);
  });

  test('a version in a payload is ignored like each read-only member', async () => {
    for (const at of [path, '/channels/articles/entries']) {
      const entry = await post({ _version: 9, title: 'A' }, at);
      expect(entry).not.toHaveProperty('_version');
      expectProblem(await scene.master.rest('GET', `${at}?_version=1`), 'bad_request');
    }
  });
});

describe('fields(only:) and value(name:)', () => {
  test('fields(only:) and value(name:) return the named fields, references as stubs', async () => {
    const best = await post({ title: 'Best' });
    const { id } = await post({ title: 'A', year: 1990, best: best.id, cast: [best.id] });
    const { entry } = expectData(
      await fieldsOf(
        'films',
        id,
        `some: fields(only: ["year", "any"]) one: fields(only: ["best"]) none: fields(only: [])
         title: value(name: "title") any: value(name: "any") tags: value(name: "tags") cast: value(name: "cast")`,
      ),
    );
    const stub = { id: best.id, channel: 'films', slug: 'best', title_field_value: 'Best' };
    expect(entry).toEqual({
      ...{ some: { year: 1990, any: null }, one: { best: stub }, none: {} },
      ...{ title: 'A', any: null, tags: [], cast: [stub] },
    });
  });

  test('fields(only:) and value(name:) without declared fields return the stored ones', async () => {
    const { id } = await post({ a: { b: [1] }, c: 2 }, '/channels/articles/entries');
    const { entry } = expectData(
      await fieldsOf(
        'articles',
        id,
        'fields(only: ["a", "x"]) a: value(name: "a") x: value(name: "x") p: value(name: "__proto__")',
      ),
    );
    expect(entry).toEqual({ fields: { a: { b: [1] } }, a: { b: [1] }, x: null, p: null });
  });

  test('a writer who may not read the entry gets nothing of the channel by fields(only:) and value(name:)', async () => {
    const { id } = await post({ year: 1 });
    const acl = '{ create: NONE, read: NONE, update: PUBLIC, delete: PUBLIC }';
    expectData(await scene.master.gql(`mutation { updateChannel(id: "films", input: { acl: ${acl} }) { id } }`));
    const answer = await scene.visitor.gql(
      `mutation { updateEntry(channel: "films", id: "${id}", input: { fields: { title: "B" } }) {
        channel { id name titleField description fields { name } } fields
        title: value(name: "title") year: value(name: "year") none: value(name: "none") some: fields(only: ["year", "none"]) } }`,
    );
    expect(expectData(answer)).toEqual({
      updateEntry: {
        channel: null,
        ...{ fields: { title: 'B' }, title: 'B', year: null, none: null, some: {} },
      },
    });
  });

  test('fields(only:) and value(name:) with an undeclared name are BAD_USER_INPUT with the nearest one', async () => {
    const { id } = await post({});
    for (const selection of ['fields(only: ["yaer"])', 'value(name: "yaer")']) {
      const { errors } = await fieldsOf('films', id, selection);
      expect(errors).toMatchObject([
        { message: expect.stringContaining('"year"'), extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    }
  });
});
