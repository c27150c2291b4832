// The schema of the site keeps to the limits and rules of the static one (docs/contract.md §7, §11.2), and to a site whose
// channels change, or have whatever names they can have.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema, getIntrospectionQuery, isObjectType, validateSchema } from 'graphql';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, type TestSite } from '../../support/build.ts';
import { expectData, expectRequestRefused } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp({ NODE_ENV: 'production' });
const path = '/graphql/site';

let site: TestSite;
let master: Caller;
let visitor: Caller;
beforeAll(async () => {
  const db = app.database.prisma;
  site = await buildSite(db);
  const notes = await buildChannel(db, site.id, {
    ...{ id: 'notes', typeName: 'Note' },
    fields: [
      { name: 'title', type: 'string' },
      { name: 'next', type: 'reference', channel: 'notes' },
      { name: 'body', type: 'text' },
    ],
  });
  await buildEntry(db, notes, { slug: 'one', data: { title: 'One', body: 'Text' } });
  master = as(app, { token: site.master });
  visitor = as(app, { token: site.public });
});

const ask = (caller: Caller, document: string, headers: Record<string, string> = {}) =>
  caller.gql(document, {}, { path, headers });

describe('limits', () => {
  test('the site’s schema limits depth, aliases and the size of a list', async () => {
    const deep = `{ note(id: "one") { ${'next { '.repeat(40)} id ${'} '.repeat(40)} } }`;
    expectRequestRefused(await ask(visitor, deep), 400, 'QUERY_TOO_COMPLEX');
    const aliases = Array.from({ length: 200 }, (_, at) => `a${at}: id`).join(' ');
    expectRequestRefused(await ask(visitor, `{ note(id: "one") { ${aliases} } }`), 400, 'QUERY_TOO_COMPLEX');
    const answer = await ask(visitor, '{ notes(first: 251) { nodes { id } } }');
    expect(answer.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });

  test('in production, the site’s schema answers introspection to master tokens, and not to public ones', async () => {
    expectRequestRefused(await ask(visitor, '{ __schema { queryType { name } } }'), 400, 'FORBIDDEN');
    const { __schema } = expectData(await ask(master, getIntrospectionQuery()));
    expect((__schema as { types: { name: string }[] }).types.map(({ name }) => name)).toContain('Note');
  });

  test('in production, the site’s schema suggests no names, and refuses subscriptions', async () => {
    const { status, errors } = await ask(visitor, '{ note(id: "one") { titel } }');
    expect([status, errors?.[0]?.message]).toEqual([400, 'Cannot query field "titel" on type "Note".']);
    expect((await ask(visitor, 'subscription { changes { cursor } }')).status).toBe(400);
  });

  test('a query by GET without the preflight header is refused at the site’s schema', async () => {
    const answer = await fetch(`${app.url}${path}?query={channels{id}}`);
    expect(answer.status).toBe(401);
    const get = await as(app, { token: site.public }).rest<{ data: object }>(
      'GET',
      `${path}?query={notes{totalCount}}`,
    );
    expect([get.status, get.body]).toEqual([200, { data: { notes: { totalCount: 1 } } }]);
    expect((await as(app, { token: site.public }).rest('PUT', path)).status).toBe(405);
  });

  test('an Idempotency-Key of one schema does not apply to a request of the other', async () => {
    const fields = [{ name: 'name', type: 'string' as const }];
    await buildChannel(app.database.prisma, site.id, { id: 'clients', typeName: 'Customer', fields });
    const create = 'mutation { createCustomer(input: { name: "Ada" }) { id } }';
    const headers = { 'Idempotency-Key': 'a-key' };
    await expectEventually(async () => {
      expectData(await ask(master, '{ clients { totalCount } }'));
    });
    const first = expectData(await ask(master, create, headers));
    const again = await ask(master, create, headers);
    expect([again.headers.get('idempotent-replayed'), expectData(again)]).toEqual(['true', first]);
    const other = await master.gql(create, {}, { headers });
    const refused = other.errors?.map(({ extensions }) => [extensions.code, extensions.errors?.[0]?.code]);
    expect([other.status, refused]).toEqual([422, [['BAD_USER_INPUT', 'reused']]]);
  });

  test('fragments on the interface and on other types select only their own fields', async () => {
    await buildChannel(app.database.prisma, site.id, { id: 'others', fields: [{ name: 'title', type: 'string' }] });
    const document = `{ note(id: "one") { ... on Entry { slug ... on Others { title } ... on Note { body } } ...F } }
      fragment F on Entry { version }`;
    await expectEventually(async () => {
      expect(expectData(await ask(visitor, document))).toEqual({ note: { slug: 'one', body: 'Text', version: 1 } });
    });
  });
});

/** Waits until something holds. */
async function expectEventually(check: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

describe('channels that change', () => {
  test('a changed channel is in the schema of the next request, and running requests succeed', async () => {
    const update = (input: object, id = 'moving') =>
      master.gql('mutation ($id: ID!, $input: ChannelPatch!) { updateChannel(id: $id, input: $input) { typeName } }', {
        ...{ id, input },
      });
    const field = { name: 'size', type: 'INTEGER' };
    const create = 'mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }';
    expectData(await master.gql(create, { input: { id: 'moving', fields: [field] } }));
    expectData(await ask(master, 'mutation { createMoving(input: { size: 5 }) { size } }'));
    const lists = Array.from({ length: 10 }, () => ask(visitor, '{ moving { nodes { size } } }'));
    expectData(await update({ typeName: 'Mover', fields: [{ ...field, type: 'STRING' }] }));
    for (const { status, errors } of await Promise.all(lists)) {
      // Each had one schema or the other, and no fault.
      expect([status, errors]).toEqual([200, undefined]);
    }
    expect(expectData(await ask(master, 'mutation { createMover(input: { size: "5" }) { size __typename } }'))).toEqual(
      {
        createMover: { size: '5', __typename: 'Mover' },
      },
    );
    expect((await ask(master, 'mutation { createMoving(input: { size: "5" }) { size } }')).status).toBe(400);
    expectData(await update({ typeName: null }));
    expectData(await ask(master, '{ movingEntry(id: "x") { id } }'));
  });

  test('a changed channel leaves the types of the others unchanged, for each kind of caller', async () => {
    const own = await buildSite(app.database.prisma);
    const [manager, stranger] = [as(app, { token: own.master }), as(app, { token: own.public })];
    const fields = [
      { name: 'author', type: 'reference', channel: 'people' },
      { name: 'size', type: 'integer' },
    ];
    const post = (id: string, acl: object) => manager.rest('POST', '/channels', { body: { id, acl } });
    await post('people', { read: 'none' });
    await post('books', { read: 'public' });
    await post('shelves', { read: 'public' });
    const rename = async (id: string, body: object): Promise<void> => {
      expect((await manager.rest('PATCH', `/channels/${id}`, { body })).status).toBe(200);
    };
    await rename('books', { fields });
    const shown = async (caller: Caller): Promise<string[]> => {
      const { text } = await caller.rest('GET', `${path}/schema.graphql`);
      expectData(await ask(caller, '{ books { nodes { author { id } size } } shelves { totalCount } }'));
      const types = ['Books', 'Shelves'].map((name) => buildSchema(text).getType(name));
      return types.flatMap((type) =>
        (isObjectType(type) ? Object.values(type.getFields()) : [])
          .filter((field) => field.description?.includes('In REST:'))
          .map((field) => `${field.name}: ${String(field.type)}`),
      );
    };
    for (const change of [{ name: 'Some' }, { fields: [{ name: 'width', type: 'float' }] }, { name: 'More' }]) {
      await rename('shelves', change);
      const width = change.name === 'Some' ? [] : ['width: Float'];
      expect(await shown(manager)).toEqual(['author: People', 'size: SafeInt', ...width]);
      expect(await shown(stranger)).toEqual(['author: OtherEntry', 'size: SafeInt', ...width]);
    }
  });

  test('a typeName that is not in Pascal case is refused', async () => {
    for (const typeName of ['film', 'Fi_lm', '', `F${'x'.repeat(63)}`, '9A']) {
      const answer = await master.gql(
        'mutation ($t: String) { updateChannel(id: "notes", input: { typeName: $t }) { id } }',
        {
          t: typeName,
        },
      );
      expect(answer.errors?.[0]?.extensions.errors?.map(({ field }) => field)).toEqual(['typeName']);
    }
  });
});

test('names that collide or are reserved get a `_` at their end, and the schema is valid', async () => {
  const db = app.database.prisma;
  const own = await buildSite(db);
  const fields = [
    ...['status', 'status_', 'version', 'acl', 'owner', 'fields', 'value', 'a_b', 'a__b', 'a_b_', 'and_', 'eq', 'all'],
    ...['in_', 'publish_at', 'short_id_', 'input', 'where', 'type', 'constructor', 'to_string'],
  ].map((name) => ({ name, type: 'string' as const }));
  const select = { name: 'input_kind', type: 'select' as const, options: ['true', 'A'] };
  const kinds = { name: 'input', type: 'select' as const, options: ['A', 'constructor', '__proto'] };
  const plain = { name: 'where', type: 'select' as const, options: ['A', 'toString'] };
  const shapes = [
    { id: 'film', fields: [...fields, select] },
    { id: 'films', typeName: 'Film', fields: [kinds, plain] },
    { id: 'film-input' },
    { id: 'query' },
    { id: 'entry' },
    { id: 'channels' },
    { id: 'string' },
    { id: 'string-filter' },
    { id: '2024-news' },
    { id: 'a-b' },
    { id: 'a_b' },
    { id: 'other-entry' },
  ];
  for (const shape of shapes) await buildChannel(db, own.id, shape);
  const caller = as(app, { token: own.master });
  const { text } = await caller.rest('GET', `${path}/schema.graphql`);
  const schema = buildSchema(text);
  expect(validateSchema(schema)).toEqual([]);
  const queries = Object.keys(schema.getQueryType()?.getFields() ?? {});
  expect(new Set(queries).size).toBe(2 + 2 * shapes.length);
  expect(queries).toEqual(
    expect.arrayContaining([
      'filmEntry',
      'film',
      'films',
      'film_',
      'channels_',
      '_2024News',
      '_2024NewsEntry',
      'aB',
      'aB_',
    ]),
  );
  const document = `mutation { createFilm(input: { status_: "s", version_: "v", aB: "1", aB_: "2", aB__: "3", and_: "4", toString_: "5" })
    { status_ version_ aB aB_ aB__ and_ toString_ status } }`;
  expect(expectData(await ask(caller, document))).toEqual({
    createFilm: {
      status_: 's',
      version_: 'v',
      aB: '1',
      aB_: '2',
      aB__: '3',
      and_: '4',
      toString_: '5',
      status: 'PUBLISHED',
    },
  });
  const list = '{ film(where: { eq: { eq: "x" }, aB: { eq: "1" } }) { totalCount } }';
  expect(expectData(await ask(caller, list))).toEqual({ film: { totalCount: 0 } });
});

test('a site without channels, and one with undeclared fields alone, have a schema', async () => {
  const own = await buildSite(app.database.prisma);
  const caller = as(app, { token: own.master });
  expect(expectData(await ask(caller, '{ channels { id } }'))).toEqual({ channels: [] });
  const { text } = await caller.rest('GET', `${path}/schema.graphql`);
  expect(validateSchema(buildSchema(text))).toEqual([]);
});

test('a channel that was created in the database alone is in the schema', async () => {
  expectData(await ask(master, '{ channels { id } }'));
  await buildChannel(app.database.prisma, site.id, { id: 'new-ones' });
  await expectEventually(async () => {
    expect((await ask(master, '{ newOnes { totalCount } }')).status).toBe(200);
  });
});
