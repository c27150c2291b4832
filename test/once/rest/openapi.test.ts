// `GET /openapi.json` (docs/contract.md §11): the interface as each caller has it, and nothing of what is hidden from one.
import { describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { routes } from '../../../src/features.ts';
import { as, type Credentials, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildSite, buildUser } from '../../support/build.ts';
import { expectProblem } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

interface Document {
  readonly openapi: string;
  readonly servers: readonly { url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, { readonly name: string; readonly in: string }>>;
  };
}

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly enum?: readonly string[];
  readonly examples?: readonly unknown[];
}

const app = await suiteApp();
const db = app.database.prisma;
const site = await buildSite(db);
const user = await buildUser(db, { memberOf: [site.id] });
const ada = await buildCustomer(db, site.id);

await buildChannel(db, site.id, {
  id: 'films',
  fields: [
    { name: 'title', type: 'string', required: true, label: 'The title' },
    { name: 'year', type: 'integer', min: 1890 },
    { name: 'genres', type: 'multi_select', options: ['Noir', 'Drama'] },
    { name: 'seen_by', type: 'references', channel: 'films' },
    { name: 'note', type: 'reference', channel: 'secrets' },
  ],
});
await buildChannel(db, site.id, { id: 'free' });
await buildChannel(db, site.id, {
  id: 'secrets',
  readScope: 'none',
  fields: [{ name: 'combination', type: 'string' }],
});
await buildChannel(db, site.id, { id: 'letters', readScope: 'private', fields: [{ name: 'text', type: 'text' }] });

const credentials = {
  nobody: {},
  public: { token: site.public },
  'public and ada': { token: site.public, session: ada.session },
  user: { token: user.token, site: site.id },
  master: { token: site.master },
} satisfies Record<string, Credentials>;
type Who = keyof typeof credentials;
const everybody = Object.keys(credentials) as Who[];

const described = (who: Who, headers: Record<string, string> = {}): Promise<RestAnswer<Document>> =>
  as(app, credentials[who]).rest<Document>('GET', '/openapi.json', { headers });

/** The channels that a document describes. */
function channelsIn({ paths }: Document): string[] {
  return Object.keys(paths).flatMap((path) => /^\/channels\/([^/{]+)\/entries$/.exec(path)?.[1] ?? []);
}

/** The names of the query parameters of a list, in their order. */
function queryNames({ paths, components }: Document, path: string): string[] {
  const parameters = (paths[path]?.['get']?.['parameters'] ?? []) as (
    { $ref: string } | { name: string; in: string }
  )[];
  const resolved = parameters.map((each) =>
    '$ref' in each ? components.parameters[each.$ref.replace('#/components/parameters/', '')] : each,
  );
  return resolved.flatMap((each) => (each?.in === 'query' ? [each.name] : []));
}

test.each(everybody)('the document for %s is valid OpenAPI 3.1', async (who) => {
  const { status, body } = await described(who);
  expect([status, body.openapi, body.servers]).toEqual([200, '3.1.1', [{ url: app.url }]]);
  const { valid, errors } = await new Validator().validate(body as unknown as Record<string, unknown>);
  expect([valid, errors ?? []]).toEqual([true, []]);
});

test('each refusal in the document’s components is used by an operation', async () => {
  const { text } = await described('master');
  const { responses } = (JSON.parse(text) as { components: { responses: object } }).components;
  const unused = Object.keys(responses).filter((name) => !text.includes(`"#/components/responses/${name}"`));
  expect([Object.keys(responses).includes('Problem404'), unused]).toEqual([true, []]);
});

describe('every route is described', () => {
  const pathOf = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1_id}');

  test.each(routes.map(({ method, path }) => [method, path] as const))(
    'the document for a master token describes %s %s',
    async (method, path) => {
      const { body } = await described('master');
      expect(body.paths[pathOf(path)]?.[method.toLowerCase()]).toMatchObject({ summary: expect.any(String) });
      const own = path.startsWith('/channels/:channel/entries')
        ? pathOf(path.replace(':channel', 'films'))
        : pathOf(path);
      expect(body.paths[own]?.[method.toLowerCase()]).toMatchObject({ operationId: expect.any(String) });
    },
  );

  test('each operation in the document has a unique name', async () => {
    const { body } = await described('master');
    const ids = Object.values(body.paths).flatMap((item) =>
      Object.values(item).flatMap(({ operationId }) => operationId ?? []),
    );
    expect(ids.length).toBeGreaterThan(routes.length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('the document for other callers has no operation that they may not use', async () => {
    const managed = ['/customers', '/tokens', '/sessions/{session_id}'];
    for (const who of ['nobody', 'public', 'user'] as const) {
      const { body } = await described(who);
      expect([who, managed.filter((path) => path in body.paths)]).toEqual([who, []]);
      expect([who, Object.keys(body.paths['/channels'] ?? {}).sort()]).toEqual([who, ['get', 'parameters']]);
    }
    expect(Object.keys((await described('master')).body.paths)).toEqual(expect.arrayContaining(managed));
  });
});

describe('the channels that the caller may know of', () => {
  const known: [Who, string[]][] = [
    ['nobody', []],
    ['public', ['films', 'free']],
    ['public and ada', ['films', 'free', 'letters']],
    ['user', ['films', 'free', 'secrets', 'letters']],
    ['master', ['films', 'free', 'secrets', 'letters']],
  ];
  test.each(known)(
    'the document for %s has the channels that it may know, and no other name',
    async (who, channels) => {
      const { body, text } = await described(who);
      expect(channelsIn(body)).toEqual(channels);
      const hidden = ['films', 'free', 'secrets', 'letters'].filter((id) => !channels.includes(id));
      expect(hidden.filter((id) => text.includes(id))).toEqual([]);
      expect(text.includes('combination')).toBe(channels.includes('secrets'));
    },
  );

  test('the document has no channel of another site', async () => {
    const other = await buildSite(db);
    const { body, text } = await as(app, { token: other.master }).rest<Document>('GET', '/openapi.json');
    expect(channelsIn(body)).toEqual([]);
    expect(text).not.toContain('films');
  });
});

describe('the schemas of a channel', () => {
  test('a channel’s schemas have its fields with their types and labels', async () => {
    const { schemas } = (await described('public')).body.components;
    expect(schemas['films.EntryMembers']?.properties).toMatchObject({
      id: { type: 'string', format: 'uuid' },
      title: { type: ['string', 'null'], title: 'The title' },
      year: { type: ['integer', 'null'] },
      genres: { type: 'array', items: { enum: ['Noir', 'Drama'] } },
      seen_by: {
        type: 'array',
        items: { anyOf: [expect.anything(), { $ref: '#/components/schemas/films.EntryMembers' }] },
      },
    });
    expect(schemas['films.Entry']?.required).toEqual(
      expect.arrayContaining(['id', '_status', 'title', 'year', 'genres']),
    );
    expect(schemas['films.NewEntry']?.required).toEqual(['title']);
    expect(schemas['films.EntryChange']?.properties).toMatchObject({
      title: { type: 'string', maxLength: 1_000 },
      year: { type: ['integer', 'null'], minimum: 1890 },
    });
  });

  const list = '/channels/films/entries';

  test.each([list, `${list}/count`])('the parameters are the comparisons that each field has: %s', async (path) => {
    const names = queryNames((await described('public')).body, path).filter((name) => /^(year|genres)/.test(name));
    expect(names).toEqual([
      ...['year', 'year.ne', 'year.in', 'year.nin', 'year.exists', 'year.gt', 'year.gte', 'year.lt', 'year.lte'],
      ...['genres', 'genres.ne', 'genres.in', 'genres.nin', 'genres.exists', 'genres.all'],
    ]);
  });

  test('a channel’s schemas have the sort keys', async () => {
    const { schemas } = (await described('public')).body.components;
    expect(schemas['films.SortKey']?.enum).toEqual(expect.arrayContaining(['year', '-year']));
    expect(schemas['films.SortKey']?.enum).not.toContain('genres');
  });

  test('the parameters compare through references to known channels, one step deep', async () => {
    const through = async (who: Who): Promise<string[]> =>
      queryNames((await described(who)).body, list).filter((name) => /^(seen_by|note)\./.test(name));
    const operators = ['ne', 'in', 'nin', 'exists', 'all'];
    const films = [
      ...['title', 'title.in', 'title.contains', 'genres', 'genres.in'],
      ...['year', 'year.in', 'year.gt', 'year.gte', 'year.lt', 'year.lte'],
    ];
    const seen = [...operators, ...films].map((each) => `seen_by.${each}`);
    const notes = operators.map((each) => `note.${each}`);
    expect((await through('public')).sort()).toEqual([...seen, ...notes].sort());
    const secrets = ['note.combination', 'note.combination.in', 'note.combination.contains'];
    expect((await through('master')).sort()).toEqual([...seen, ...notes, ...secrets].sort());
  });

  test('no parameter is an object, and no object has an index beside members, also without fields', async () => {
    const { body } = await described('master');
    const free = queryNames(body, '/channels/free/entries');
    expect(free).toEqual(expect.arrayContaining(['where', 'slug', 'created_at.gte', 'title_field_value.contains']));
    const any = queryNames(body, '/channels/{channel_id}/entries');
    expect(free).toEqual(any.filter((name) => name !== 'include'));
    const objects = Object.values(body.paths).flatMap((item) =>
      Object.values(item).flatMap(({ parameters = [] }) =>
        (parameters as { explode?: boolean; schema?: Schema }[]).filter(({ explode }) => explode === true),
      ),
    );
    expect(objects).toEqual([]);
    const indexed = Object.entries(body.components.schemas).filter(
      ([, { properties, additionalProperties }]) => properties && typeof additionalProperties === 'object',
    );
    expect(indexed).toEqual([]);
  });

  test.each([
    ['public', false],
    ['user', true],
    ['master', true],
  ] as const)('_owner is a filter and a sort key in the document for %s: %s', async (who, isNamed) => {
    const { body, text } = await described(who);
    const names = queryNames(body, list);
    expect([
      ...['_owner', '_owner.in', '_acl.exists'].map((name) => names.includes(name)),
      body.components.schemas['films.SortKey']?.enum?.includes('_owner'),
      text.includes('"filter._owner'),
    ]).toEqual([isNamed, isNamed, isNamed, isNamed, isNamed]);
  });

  test.each([
    ['public', { readOnly: true }],
    ['user', { readOnly: true }],
    ['master', { type: 'string', enum: ['draft', 'scheduled', 'published'] }],
  ] as const)('_status can be set in the document for master tokens alone: %s', async (who, schema) => {
    const { schemas } = (await described(who)).body.components;
    expect(schemas['films.EntryChange']?.properties?.['_status']).toEqual(schema);
  });

  test('the document has both names of channel settings, the older ones deprecated', async () => {
    const { schemas } = (await described('master')).body.components;
    for (const name of ['Channel', 'NewChannel', 'ChannelChange']) {
      const { properties = {} } = schemas[name] ?? {};
      for (const [old, own] of [
        ['titleField', 'title_field'],
        ['typeName', 'type_name'],
      ] as const) {
        expect([name, properties[old]]).toEqual([
          name,
          expect.objectContaining({ deprecated: true, description: `The older name of \`${own}\`.` }),
        ]);
        expect([name, properties[own]]).toEqual([name, expect.not.objectContaining({ deprecated: true })]);
      }
    }
  });

  test('the examples of the document match their schemas', async () => {
    const { body } = await described('master');
    const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
    formats.default(ajv);
    ajv.addSchema({ $id: 'doc', ...body });
    const names = Object.entries(body.components.schemas).filter(([, { examples }]) => examples !== undefined);
    expect(names.map(([name]) => name)).toEqual(expect.arrayContaining(['NewEntry', 'films.NewEntry']));
    for (const [name, { examples = [] }] of names) {
      const validate = ajv.compile({ $ref: `doc#/components/schemas/${name}` });
      for (const example of examples) expect([name, validate(example), validate.errors]).toEqual([name, true, null]);
    }
  });
});

describe('who asks', () => {
  test.each([
    ['with a mistyped token', { Authorization: 'Bearer ew_master_mistyped' }, 'unauthenticated'],
    ['with a session token alone', { 'Session-Token': ada.session }, 'unauthenticated'],
    ['with another site', { Authorization: `Bearer ${site.master}`, 'X-Service-Site': 'elsewhere' }, 'forbidden'],
    ['with a user token and no site', { Authorization: `Bearer ${user.token}` }, 'bad_request'],
  ] as const)('a request of the document %s is refused', async (_how, headers, code) => {
    expectProblem(await as(app).rest('GET', '/openapi.json', { headers }), code);
  });

  test('a request of the document with a parameter is refused, with and without a token', async () => {
    for (const who of ['nobody', 'master'] as const) {
      expectProblem(await as(app, credentials[who]).rest('GET', '/openapi.json?channel=films'), 'bad_request');
    }
  });
});

describe('the entity tag', () => {
  test.each(everybody)('the document for %s is 304 with its entity tag', async (who) => {
    const tag = (await described(who)).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{20,}"$/);
    const again = await described(who, { 'If-None-Match': tag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
  });

  test('the document’s entity tag differs between kinds of callers with different documents', async () => {
    const tags = await Promise.all(everybody.map(async (who) => (await described(who)).headers.get('etag')));
    expect(new Set(tags).size).toBe(everybody.length);
  });

  test('the document’s entity tag changes at once with a channel', async () => {
    const { headers } = await described('master');
    const tag = headers.get('etag') ?? '';
    const master = as(app, credentials.master);
    await master.rest('PATCH', '/channels/free', { body: { fields: [{ name: 'colour', type: 'string' }] } });
    const changed = await described('master', { 'If-None-Match': tag });
    expect(changed.status).toBe(200);
    expect(changed.body.components.schemas['free.EntryMembers']?.properties).toHaveProperty('colour');
    await master.rest('PATCH', '/channels/free', { body: { acl: { read: 'none' } } });
    expect(channelsIn((await described('public')).body)).toEqual(['films']);
    await master.rest('DELETE', '/channels/free?confirm=free');
    expect(channelsIn((await described('master')).body)).not.toContain('free');
  });
});
