// POST /channels/{channel_id}/entries/bulk (docs/contract.md §5): what each operation answers, and what is stored.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { as, type Caller, type RestAnswer } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { expectEntry, expectProblem, type RestEntry } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

interface Result {
  readonly status: number;
  readonly entry?: RestEntry;
  readonly error?: { code: string; detail: string; errors?: { field: string; code: string }[] };
}

const path = '/channels/articles/entries';
const bulkPath = `${path}/bulk`;

const app = await suiteApp({ RATE_LIMIT: 'off' });
let scene: Scene;
beforeEach(async () => {
  scene = await buildScene(app);
});

async function send(caller: Caller, operations: unknown, atomic?: boolean, address = bulkPath): Promise<Result[]> {
  const body = { operations, ...(atomic !== undefined && { atomic }) };
  const answer = await caller.rest<{ results: Result[] }>('POST', address, { body });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(Object.keys(answer.body)).toEqual(['results']);
  return answer.body.results;
}

const statusesOf = (results: Result[]): number[] => results.map(({ status }) => status);
const create = (data: unknown) => ({ op: 'create', data });

async function stored(): Promise<string[]> {
  const rows = await scene.db.entry.findMany({ where: { siteId: scene.site.id }, take: 1_000 });
  return rows.map(({ slug }) => slug).sort();
}

describe('done', () => {
  test('a bulk’s operations are done in order, each seeing the ones before it', async () => {
    const results = await send(scene.master, [
      create({ title: 'One' }),
      { op: 'update', id: 'one', data: { title: 'Uno', year: 1927 } },
      create({ title: 'Two' }),
      { op: 'delete', id: 'two' },
      create({ title: 'One' }),
    ]);
    expect(statusesOf(results)).toEqual([201, 200, 201, 204, 201]);
    expect(results[1]?.entry).toMatchObject({ slug: 'one', title: 'Uno', year: 1927 });
    expect(results[3]).toEqual({ status: 204 });
    expect(results[4]?.entry?.slug).toBe('one-2');
    expect(await stored()).toEqual(['one', 'one-2']);
  });

  test('an entry in a bulk’s answer equals that of a single request, and is stored', async () => {
    const data = { title: 'A', tags: ['x'], nested: { a: [1] }, _acl: { '*': { read: true } }, _owner: 'ada' };
    const [result] = await send(scene.master, [create(data)]);
    const single = expectEntry(await scene.master.rest('POST', path, { body: data }), 201);
    const own = { id: 0, url: 0, short_id: 0, slug: 0, created_at: 0, updated_at: 0 };
    expect({ ...result?.entry, ...own }).toEqual({ ...single, ...own });
    expect(Object.keys(result?.entry ?? {})).toEqual(Object.keys(single));
    expect((await scene.master.rest('GET', `${path}/${result?.entry?.id ?? ''}`)).body).toEqual(result?.entry);
  });

  test('a bulk’s if_match takes an entity tag as in the header', async () => {
    const created = await scene.master.rest('POST', path, { body: { title: 'A' } });
    const tag = created.headers.get('etag') ?? '';
    const update = (title: string, tags: string | null) => ({ op: 'update', id: 'a', if_match: tags, data: { title } });
    const sent = [tag, tag, '*', null, '"9.x", W/"1.x"'];
    const operations = sent.map((tags, index) => update(`B${index}`, tags));
    expect(statusesOf(await send(scene.master, operations))).toEqual([200, 412, 200, 200, 412]);
    const [stale, fresh] = await send(scene.master, [
      { op: 'delete', id: 'a', if_match: tag },
      { op: 'delete', id: 'a' },
    ]);
    expect([stale?.error?.code, fresh]).toEqual(['precondition_failed', { status: 204 }]);
  });

  test('a bulk of 500 operations is done; one more is refused, and so is none', async () => {
    const operations = Array.from({ length: 500 }, (_, index) => create({ title: `Title ${index}` }));
    expect(new Set(statusesOf(await send(scene.master, operations)))).toEqual(new Set([201]));
    for (const refused of [[...operations, create({})], []]) {
      expectProblem(await scene.master.rest('POST', bulkPath, { body: { operations: refused } }), 'bad_request');
    }
    expect((await stored()).length).toBe(500);
  });
});

/** Operations that are refused, each with the request that is refused alike. */
const refusals: [status: number, operation: Record<string, unknown>, method: string, id: string][] = [
  [404, { op: 'update', id: 'nowhere', data: {} }, 'PATCH', '/nowhere'],
  [404, { op: 'delete', id: 'No Name' }, 'DELETE', '/No%20Name'],
  [409, { op: 'create', data: { slug: 'taken' } }, 'POST', ''],
  [409, { op: 'update', id: 'open', data: { slug: 'taken' } }, 'PATCH', '/open'],
  [412, { op: 'update', id: 'open', if_match: '"7.x"', data: {} }, 'PATCH', '/open'],
  [412, { op: 'delete', id: 'open', if_match: '"7.x"' }, 'DELETE', '/open'],
  [400, { op: 'delete', id: 'open', if_match: 'x' }, 'DELETE', '/open'],
  [422, { op: 'create', data: { slug: 'No Slug', _status: 'x', _owner: 5 } }, 'POST', ''],
  [422, { op: 'update', id: 'open', data: { _acl: { '': {} } } }, 'PATCH', '/open'],
];

describe('refused', () => {
  test.each(refusals)('%i of a bulk’s operation as of a single request: %j', async (status, operation, method, id) => {
    for (const slug of ['taken', 'open']) await buildEntry(scene.db, scene.channel, { slug });
    const [result, other] = await send(scene.master, [operation, create({ title: 'Other' })]);
    const single = await scene.master.rest(method, path + id, {
      ...(operation['data'] !== undefined && { body: operation['data'] }),
      ...(typeof operation['if_match'] === 'string' && { headers: { 'If-Match': operation['if_match'] } }),
    });
    const problem = { ...single.body, request_id: expect.any(String) };
    expect([single.status, result]).toEqual([status, { status, error: problem }]);
    expect(other?.status).toBe(201);
    expect(await stored()).toEqual(['open', 'other', 'taken']);
  });

  test('a malformed operation of a bulk is 400, and the others are done', async () => {
    const malformed = [
      ...[null, 5, 'create', [], {}, { op: 'upsert', data: {} }, { op: 'create' }, { op: 'create', data: [] }],
      ...[{ id: 5 }, { if_match: '*' }, { extra: 1 }].map((more) => ({ op: 'create', data: {}, ...more })),
      ...[{ data: {} }, { id: 'x' }, { id: 5, data: {} }].map((members) => ({ op: 'update', ...members })),
      ...[{}, { id: 'x', data: {} }, { id: 'x', if_match: 1 }].map((members) => ({ op: 'delete', ...members })),
    ];
    const results = await send(scene.master, [...malformed, create({ title: 'Good' })]);
    expect(statusesOf(results)).toEqual([...malformed.map(() => 400), 201]);
    expect(results.map(({ error }) => error?.code)).toEqual([...malformed.map(() => 'bad_request'), undefined]);
  });

  test.each([
    ...[[], 'x', {}, { operations: {} }, { operations: [{}], atomic: 'true' }, { operations: [{}], more: 1 }],
    { operations: null, atomic: false },
  ])('a bulk is 400 as a whole: %j', async (body) => {
    expectProblem(await scene.master.rest('POST', bulkPath, { body: JSON.stringify(body) }), 'bad_request');
  });

  test('a bulk in a missing channel is 404 as a whole; 401, 415 and 400 as every request', async () => {
    const body = { operations: [create({})] };
    expectProblem(await scene.master.rest('POST', '/channels/nowhere/entries/bulk', { body }), 'not_found');
    expectProblem(await as(app).rest('POST', bulkPath, { body }), 'unauthenticated');
    const headers = { 'Content-Type': 'text/plain' };
    expectProblem(await scene.master.rest('POST', bulkPath, { body, headers }), 'unsupported_media_type');
    expectProblem(await scene.master.rest('POST', `${bulkPath}?page=1`, { body }), 'bad_request');
  });
});

describe('atomic', () => {
  test('an atomic bulk with a refused operation does none, and explains each', async () => {
    await buildEntry(scene.db, scene.channel, { slug: 'kept' });
    const operations = [
      create({ title: 'A' }),
      { op: 'delete', id: 'kept' },
      { op: 'update', id: 'nowhere', data: {} },
      create({ slug: 'No Slug' }),
    ];
    const results = await send(scene.master, operations, true);
    expect(statusesOf(results)).toEqual([409, 409, 404, 422]);
    for (const { error } of results.slice(0, 2)) {
      expect(error).toMatchObject({ code: 'conflict', errors: [{ field: 'atomic', code: 'not_done' }] });
    }
    expect(await stored()).toEqual(['kept']);
    const [unread] = await send(scene.master, [{ op: 'delete', id: 'kept' }, {}], true);
    expect([unread?.status, await stored()]).toEqual([409, ['kept']]);
  });

  test('a name that is taken during an atomic bulk is replaced, or refuses all', async () => {
    await buildEntry(scene.db, scene.channel, { slug: 'a' });
    await buildEntry(scene.db, scene.channel, { slug: 'b', data: { title: 'A' } });
    // An update that meets a taken name fails in the database, which gives the transaction up.
    const [renamed, after] = await send(
      scene.master,
      [{ op: 'update', id: 'b', data: { slug: null } }, create({})],
      true,
    );
    expect([renamed?.entry?.slug, after?.status]).toEqual(['a-2', 201]);
    const both = [create({ title: 'X' }), { op: 'update', id: 'a-2', data: { slug: 'a' } }];
    const refused = await send(scene.master, both, true);
    expect(statusesOf(refused)).toEqual([409, 409]);
    expect(refused[1]?.error?.errors).toEqual([{ field: 'slug', code: 'taken', message: expect.any(String) }]);
    expect(await stored()).toEqual(['a', 'a-2', 'entry']);
  });
});

describe('at the same time', () => {
  test('bulks on the same entries in opposite orders are all done, none lost', async () => {
    const slugs = ['a', 'b', 'c', 'd'];
    for (const slug of slugs) await buildEntry(scene.db, scene.channel, { slug, data: { n: 0 } });
    const sent = Array.from({ length: 6 }, (_, index) => {
      const order = index % 2 === 0 ? slugs : slugs.toReversed();
      const operations = order.map((id) => ({ op: 'update', id, data: { [`by${index}`]: true } }));
      return send(scene.master, operations, index % 3 === 0);
    });
    for (const results of await Promise.all(sent)) expect(new Set(statusesOf(results))).toEqual(new Set([200]));
    for (const slug of slugs) {
      const entry = expectEntry(await scene.master.rest('GET', `${path}/${slug}`));
      expect(entry).toMatchObject({ by0: true, by1: true, by2: true, by3: true, by4: true, by5: true });
    }
  });

  test('bulks that create the same names in opposite orders each get names of their own', async () => {
    const titles = ['A', 'B', 'C'];
    const orders = [titles, titles.toReversed(), titles, titles.toReversed()];
    const sent = orders.map((order) =>
      send(
        scene.master,
        order.map((title) => create({ title })),
      ),
    );
    const slugs = (await Promise.all(sent)).flat().map(({ status, entry }) => [status, entry?.slug]);
    expect(slugs.filter(([status]) => status === 201).length).toBe(12);
    expect(new Set(slugs.map(([, slug]) => slug)).size).toBe(12);
  });

  test('an atomic bulk that meets a change of its channel’s rules is decided again', async () => {
    const operations = Array.from({ length: 50 }, (_, index) => create({ title: `T${index}` }));
    const change = (name: string): Promise<RestAnswer<unknown> | object> =>
      scene.master.gql('mutation ($name: String) { updateChannel(id: "articles", input: { name: $name }) { id } }', {
        name,
      });
    const [results] = await Promise.all([send(scene.master, operations, true), change('x'), change('y')]);
    expect(new Set(statusesOf(results))).toEqual(new Set([201]));
    expect((await stored()).length).toBe(50);
  });
});
