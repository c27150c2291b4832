// Filters and orders that would silently match nothing: values outside a closed set, names that other services give to
// parameters, and the names of the schema (docs/contract.md §5.13, §7).
import { describe, expect, test } from '@jest/globals';
import { expectData, expectProblem, expectRefusal } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp();
const path = '/channels/articles/entries';

async function build(fields = ''): Promise<Scene> {
  const scene = await buildScene(app);
  if (fields !== '') {
    expectData(
      await scene.master.gql(`mutation { updateChannel(id: "articles", input: { fields: [${fields}] }) { id } }`),
    );
  }
  for (const [slug, more] of [
    ['one', { _status: 'draft' }],
    ['two', {}],
  ] as const) {
    expect((await scene.master.rest('POST', path, { body: { slug, ...more } })).status).toBe(201);
  }
  return scene;
}

const selects = `{ name: "genre", type: SELECT, options: ["Noir", "Drama"] },
  { name: "tags", type: MULTI_SELECT, options: ["a", "b"] }, { name: "limit", type: INTEGER }`;

async function slugs({ master }: Scene, query: string): Promise<unknown> {
  const { body } = await master.rest<{ slug: string }[]>('GET', `${path}?sort=slug&${query}`);
  return Array.isArray(body) ? body.map(({ slug }) => slug) : body;
}

async function slugsBy({ master }: Scene, args: string): Promise<unknown> {
  const { entries } = expectData<{ entries: { nodes: { slug: string }[] } }>(
    await master.gql(`{ entries(channel: "articles", ${args}) { nodes { slug } } }`),
  );
  return entries.nodes.map(({ slug }) => slug);
}

describe('closed sets', () => {
  test('the letter case of a status makes no difference, in REST and GraphQL', async () => {
    const scene = await build();
    for (const value of ['draft', 'DRAFT', 'Draft']) {
      expect(await slugs(scene, `_status=${value}`)).toEqual(['one']);
      expect(await slugs(scene, `_status.ne=${value}`)).toEqual(['two']);
      expect(await slugs(scene, `_status.nin=${value}`)).toEqual(['two']);
      expect(await slugs(scene, `where={"_status":{"in":["${value}"]}}`)).toEqual(['one']);
      for (const field of ['status', '_status']) {
        expect(await slugsBy(scene, `where: { field: "${field}", value: "${value}" }`)).toEqual(['one']);
      }
    }
  });

  test.each([
    ['_status=publishd', 'draft, scheduled, published'],
    ['_status.in=draft,gone', 'draft, scheduled, published'],
    ['where={"not":{"_status":"gone"}}', 'draft, scheduled, published'],
    ['genre=noir', 'Noir, Drama'],
    ['genre.ne=Dramma', 'Noir, Drama'],
    ['genre.nin=Noir,Dramma', 'Noir, Drama'],
    ['tags=c', 'a, b'],
    ['tags.all=a,c', 'a, b'],
  ])('a value outside a closed set is 400 with the set: %s', async (query, set) => {
    const scene = await build(selects);
    for (const at of [path, `${path}/count`]) {
      const answer = await scene.visitor.rest('GET', `${at}?${encodeURI(query)}`);
      expectProblem(answer, 'bad_request');
      expect(answer.body['detail']).toContain(`is not one of ${set}.`);
    }
  });

  test('a value outside a closed set is refused in GraphQL with the set', async () => {
    const scene = await build(selects);
    for (const where of ['{ field: "status", value: "GONE" }', '{ field: "genre", op: IN, value: ["Noir", "X"] }']) {
      const answer = await scene.visitor.gql(`{ entries(channel: "articles", where: ${where}) { nodes { id } } }`);
      expectRefusal(answer, 'BAD_USER_INPUT');
    }
    expect(await slugsBy(scene, 'where: { field: "genre", value: "Noir" }')).toEqual([]);
  });

  test('a value outside many options is 400 with some of them', async () => {
    const options = Array.from({ length: 40 }, (_, index) => `o${index}`);
    const scene = await build(`{ name: "many", type: SELECT, options: ${JSON.stringify(options)} }`);
    const answer = await scene.master.rest('GET', `${path}?many=x`);
    expect(answer.body['detail']).toMatch(/o0, .*o29, and 10 others\.$/);
  });
});

describe('names of parameters at other services', () => {
  test.each([
    ...['limit', 'perPage', 'pageSize', 'page_size'].map((name) => [name, 'per_page']),
    ...['order', 'order_by', 'orderBy'].map((name) => [name, 'sort']),
    ...['fields', 'select'].map((name) => [name, 'only']),
    ...['expand', 'populate'].map((name) => [name, 'include']),
    ['offset', 'page'],
    ['filter', 'where'],
    ['search', 'q'],
  ])('the parameter %s of other services is 400 that suggests %s', async (name, ours) => {
    const scene = await build();
    for (const query of [`${name}=2`, `${name}.gt=2`]) {
      const answer = await scene.master.rest('GET', `${path}?${query}`);
      expectProblem(answer, 'bad_request');
      expect(answer.body['detail']).toContain(`"${ours}"`);
    }
    expect(await slugs(scene, `where={"${name}":2}`)).toEqual([]);
    expect(await slugsBy(scene, `where: { field: "${name}", op: EXISTS, value: false }, sort: ["slug"]`)).toEqual(
      name === 'status' ? [] : ['one', 'two'],
    );
  });

  test('a declared field named like a parameter of other services is compared', async () => {
    const scene = await build(selects);
    expect(await slugs(scene, 'limit.exists=false')).toEqual(['one', 'two']);
    const answer = await scene.master.rest('GET', `${path}?orderBy=slug`);
    expectProblem(answer, 'bad_request');
    expect(answer.body['detail']).toContain('"sort"');
  });

  test('a fetch with a parameter of other services suggests the one here', async () => {
    const scene = await build();
    const answer = await scene.master.rest('GET', `${path}/one?fields=slug`);
    expectProblem(answer, 'bad_request');
    expect(answer.body['detail']).toContain('"only"');
  });
});

describe('the names of the schema, in GraphQL', () => {
  test.each([
    ['no fields', ''],
    ['fields', selects],
  ])(
    'filters and sorts of GraphQL accept the schema’s names of fixed members in a channel that declares %s',
    async (_what, fields) => {
      const scene = await build(fields);
      const past = 'op: LT, value: "2000-01-01T00:00:00Z"';
      for (const name of ['createdAt', 'updatedAt', 'created_at']) {
        expect(await slugsBy(scene, `where: { field: "${name}", ${past} }`)).toEqual([]);
        expect(await slugsBy(scene, `where: { not: { field: "${name}", ${past} } }, sort: ["-${name}"]`)).toEqual([
          'two',
          'one',
        ]);
      }
      expect(await slugsBy(scene, 'where: { field: "publishAt", op: EXISTS, value: true }')).toEqual([]);
      expect(await slugsBy(scene, 'sort: ["status"]')).toEqual(['one', 'two']);
      expect(await slugsBy(scene, 'sort: ["-shortId"]')).toHaveLength(2);
      const owner =
        '{ entries(channel: "articles", where: { field: "owner", op: EXISTS, value: false }) { nodes { id } } }';
      expectRefusal(await scene.visitor.gql(owner), 'BAD_USER_INPUT');
      expectData(await scene.master.gql(owner));
    },
  );

  test('a declared field takes precedence over the schema’s name of a fixed member', async () => {
    const scene = await build('{ name: "status", type: STRING }');
    expect((await scene.master.rest('PATCH', `${path}/two`, { body: { status: 'PUBLISHED' } })).status).toBe(200);
    expect(await slugsBy(scene, 'where: { field: "status", value: "PUBLISHED" }')).toEqual(['two']);
  });
});
