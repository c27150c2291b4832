// A refusal of a name that is not known gives the nearest one that is, at both doors (docs/contract.md §5, §7): but never one
// that its reader may not know, and nothing of what is stored.
import { describe, expect, test } from '@jest/globals';
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import { as, type Caller, type GraphqlError } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const db = app.database.prisma;
const site = await buildSite(db);

const acl = { createScope: 'public', updateScope: 'public' } as const;
const fieldsOf: Record<string, Partial<FieldDefinition>[]> = {
  films: [
    { name: 'title', type: 'string' },
    { name: 'year', type: 'integer' },
    { name: 'tags', type: 'strings' },
    { name: 'director', type: 'reference', channel: 'people' },
    { name: 'cast', type: 'references', channel: 'people' },
  ],
  people: [
    { name: 'name', type: 'string' },
    { name: 'spouse', type: 'reference', channel: 'people' },
  ],
  notes: [],
};
for (const [id, fields] of Object.entries(fieldsOf)) {
  const channel = await buildChannel(db, site.id, { id, fields, ...acl });
  await buildEntry(db, channel, { slug: 'dune', data: { title: 'Dune' } });
}
await buildCustomer(db, site.id, { id: 'ada' });

const callers = {
  master: as(app, { token: site.master }),
  user: as(app, { token: (await buildUser(db, { memberOf: [site.id] })).token, site: site.id }),
  public: as(app, { token: site.public }),
};

const films = '/channels/films/entries';
const at = (path: string, parameters: Record<string, string>): string =>
  `${path}?${new URLSearchParams(parameters).toString()}`;
const list = (parameters: Record<string, string>): string => at(films, parameters);
const where = (filter: unknown): string => list({ where: JSON.stringify(filter) });
const noField = "is not a field of the channel's entries";
const numberOperators = 'eq, ne, in, nin, exists, gt, gte, lt, lte';
const textOperators = `${numberOperators}, contains, starts_with, ends_with`;
const noOperator = (word: string, field: string, operators: string): string =>
  `"${word}" is no operator of "${field}"; it has ${operators}`;
const neither = "is neither a parameter here nor a field of the channel's entries";

/** Every operator, as `where` is told of them before the type of the field is known. */
const all = 'eq, ne, gt, gte, lt, lte, in, nin, exists, contains, starts_with, ends_with, all';

/** What a GET over REST is refused with, whoever asks. */
const urls: readonly (readonly [target: string, detail: string])[] = [
  [list({ sorrt: 'year' }), `"sorrt" ${neither}; did you mean "sort"?`],
  [list({ per_pgae: '5' }), `"per_pgae" ${neither}; did you mean "per_page"?`],
  [list({ yaer: '1984' }), `"yaer" ${neither}; did you mean "year"?`],
  [list({ 'yaer.gte': '1984' }), `"yaer" ${neither}; did you mean "year"?`],
  [list({ 'year.gtee': '1984' }), `${noOperator('gtee', 'year', numberOperators)}; did you mean "year.gte"?`],
  [list({ 'year.contians': '1984' }), `${noOperator('contians', 'year', numberOperators)}.`],
  [list({ 'year.greater': '1990' }), `${noOperator('greater', 'year', numberOperators)}.`],
  [list({ 'year.': '1990' }), `${noOperator('', 'year', numberOperators)}.`],
  [list({ 'year[gte]': '1990' }), '"year[gte]" is written "year.gte" here.'],
  [list({ 'year[GTE]': '1990' }), '"year[GTE]" is written "year.gte" here.'],
  [list({ 'year[greater]': '1990' }), `${noOperator('greater', 'year', numberOperators)}.`],
  [list({ 'director[in]': 'ada' }), '"director[in]" is written "director.in" here.'],
  [list({ 'director.name[eq]': 'Ada' }), '"director.name[eq]" is written "director.name.eq" here.'],
  [list({ 'director.name.like': 'A' }), `${noOperator('like', 'director.name', textOperators)}.`],
  [list({ 'yaer[gte]': '1990' }), `"yaer[gte]" ${neither}.`],
  [list({ dirctor: 'ada' }), `"dirctor" ${neither}; did you mean "director"?`],
  [
    list({ 'director.nmae': 'Ada' }),
    `"director.nmae" is neither an operator nor ${noField.slice(7)}; did you mean "director.name"?`,
  ],
  [
    list({ 'director.exsits': 'true' }),
    `"director.exsits" is neither an operator nor ${noField.slice(7)}; did you mean "director.exists"?`,
  ],
  [
    list({ _statsu: 'draft' }),
    '"_statsu" is neither a parameter here nor a field to compare by; did you mean "_status"?',
  ],
  [list({ '_status.nee': 'draft' }), `${noOperator('nee', '_status', textOperators)}; did you mean "_status.ne"?`],
  [list({ genre: 'Noir' }), `"genre" ${neither}.`],
  [at(`${films}/count`, { wehre: '{}' }), `"wehre" ${neither}; did you mean "where"?`],
  [at(`${films}/count`, { sorrt: 'year' }), `"sorrt" ${neither}.`],
  [at(`${films}/count`, { sort: 'year' }), '"sort" is not a parameter here.'],
  [at(`${films}/dune`, { onyl: 'title' }), '"onyl" is not a parameter here; did you mean "only"?'],
  [at(`${films}/dune`, { useAcl: 'true' }), '"useAcl" is not a parameter here; did you mean "use_acl"?'],
  [at(`${films}/dune`, { sort: 'year' }), '"sort" is not a parameter here.'],
  [where({ yaer: 1984 }), `"yaer" ${noField}; did you mean "year"?`],
  [where({ or: [{ not: { 'director.nmae': 'Ada' } }] }), `"director.nmae" ${noField}; did you mean "director.name"?`],
  [where({ sorrt: 'year' }), `"sorrt" ${noField}.`],
  [where({ year: { gtee: 1984 } }), `where: "gtee" is no operator of "year"; there are ${all}; did you mean "gte"?`],
  [where({ year: { like: 1984 } }), `where: "like" is no operator of "year"; there are ${all}.`],
  [where({ 'year.gte': 1984 }), '"year.gte" is written {"year": {"gte": …}} here.'],
  [where({ 'year.greater': 1984 }), `${noOperator('greater', 'year', numberOperators)}.`],
  [
    where({ 'director.name.eqq': 'Ada' }),
    `${noOperator('eqq', 'director.name', textOperators)}; did you mean {"director.name": {"eq": …}}?`,
  ],
  [list({ sort: '-yaer' }), 'sort: "yaer" is not a field to sort by; did you mean "year"?'],
  [list({ sort: 'createdAt' }), 'sort: "createdAt" is not a field to sort by; did you mean "created_at"?'],
  [list({ sort: '_statsu' }), 'sort: "_statsu" is not a field to sort by; did you mean "_status"?'],
  [list({ sort: 'tgas' }), 'sort: "tgas" is not a field to sort by.'],
  [list({ sort: 'dirctor' }), 'sort: "dirctor" is not a field to sort by.'],
  [list({ only: 'titel' }), `only: "titel" is not a member of the channel's entries; did you mean "title"?`],
  [
    at(`${films}/dune`, { only: 'casts' }),
    `only: "casts" is not a member of the channel's entries; did you mean "cast"?`,
  ],
  [list({ include: 'dirctor' }), 'include: "dirctor" is not a field that refers to entries; did you mean "director"?'],
  [
    at(`${films}/dune`, { include: 'director.spuose' }),
    'include: "director.spuose" is not a field that refers to entries; did you mean "director.spouse"?',
  ],
  [list({ include: 'titel' }), 'include: "titel" is not a field that refers to entries.'],
];

test.each(urls)('a refusal suggests the nearest name: GET %s', async (target, detail) => {
  for (const caller of Object.values(callers)) {
    expect((await caller.rest('GET', target)).body).toMatchObject({ status: 400, detail });
  }
});

async function refuse(caller: Caller, query: string, variables = {}): Promise<GraphqlError | undefined> {
  return (await caller.gql(query, variables)).errors?.[0];
}

const entries = (args: string): string => `{ entries(channel: "films", ${args}) { nodes { id } } }`;
const entry = (selection: string): string => `{ entry(channel: "films", id: "dune") { ${selection} } }`;

test.each([
  [entries('where: {field: "yaer", value: 1984}'), `"yaer" ${noField}; did you mean "year"?`],
  [
    entries('where: {field: "director.nmae", value: "Ada"}'),
    `"director.nmae" ${noField}; did you mean "director.name"?`,
  ],
  [entries('where: {field: "sorrt", value: 1}'), `"sorrt" ${noField}.`],
  [entries('where: {field: "year.gte", value: 1}'), '"year.gte" is written field: "year", op: GTE here.'],
  [
    entries('where: {field: "createdAt.greater", value: 1}'),
    `${noOperator('greater', 'createdAt', numberOperators.toUpperCase())}.`,
  ],
  [entries('sort: ["-yaer"]'), 'sort: "yaer" is not a field to sort by; did you mean "year"?'],
  [
    entry('reference(field: "dirctor") { id }'),
    'field: "dirctor" is not a reference field of the channel; did you mean "director"?',
  ],
  [entry('reference(field: "csat") { id }'), 'field: "csat" is not a reference field of the channel.'],
  [
    entry('references(field: "csat") { nodes { id } }'),
    'field: "csat" is not a references field of the channel; did you mean "cast"?',
  ],
])('a refusal suggests the nearest name in GraphQL: %s', async (query, message) => {
  for (const caller of Object.values(callers)) {
    expect(await refuse(caller, query)).toMatchObject({ message, extensions: { code: 'BAD_USER_INPUT' } });
  }
});

test('a misspelt parameter of the URL of GraphQL is refused with the nearest name', async () => {
  const { errors } = await callers.public.gql('{ channels { id } }', {}, { path: '/graphql?useacl=true' });
  expect(errors?.[0]?.message).toBe('"useacl" is not a parameter here; did you mean "use_acl"?');
});

describe('a payload', () => {
  const create = 'mutation ($input: EntryInput!) { createEntry(channel: "films", input: $input) { id } }';
  const unknown = (field: string, message: string) => [{ field, code: 'unknown_field', message }];
  const refused = unknown('titel', 'is not a field of the channel; did you mean "title"?');

  test('a misspelt field in a payload is refused with the nearest name, at both doors', async () => {
    for (const caller of Object.values(callers)) {
      const { body } = await caller.rest('POST', films, { body: { titel: 'Dune' } });
      expect(body).toMatchObject({ status: 422, errors: refused });
      expect((await caller.rest('PATCH', `${films}/dune`, { body: { titel: 'Dune' } })).body).toMatchObject({
        errors: refused,
      });
      const error = await refuse(caller, create, { input: { fields: { titel: 'Dune' } } });
      expect(error?.extensions.errors).toEqual(refused);
    }
  });

  test.each([
    ['films', 'is not a field of the channel'],
    ['notes', 'is not a field of an entry'],
  ])('a misspelt fixed member in a payload is suggested to callers that may set it (%s)', async (channel, problem) => {
    const path = `/channels/${channel}/entries`;
    const hints = { _statsu: '_status', _onwer: '_owner', _alc: '_acl' };
    for (const [name, meant] of Object.entries(hints)) {
      const answers = await Promise.all(
        Object.values(callers).map((caller) => caller.rest('POST', path, { body: { [name]: 'x' } })),
      );
      expect(answers.map(({ body }) => body['errors'])).toEqual([
        unknown(name, `${problem}; did you mean "${meant}"?`),
        unknown(name, problem),
        unknown(name, problem),
      ]);
    }
  });

  test('a misspelt fixed member in `fields` of GraphQL is not suggested, since `fields` hold none', async () => {
    for (const name of ['slgu', '_statsu', '_status']) {
      const error = await refuse(callers.master, create, { input: { fields: { [name]: 'x' } } });
      expect(error?.extensions.errors).toEqual(unknown(name, 'is not a field of the channel'));
    }
  });

  test('a channel without declared fields accepts each name that is not reserved', async () => {
    const { status } = await callers.master.rest('POST', '/channels/notes/entries', {
      body: { titel: 'x', slgu: 'x' },
    });
    expect(status).toBe(201);
  });

  test('a misspelt action of an access list is refused with the nearest name', async () => {
    const body = { _acl: { ada: { raed: true } } };
    const message = 'the actor "ada" has the unknown action "raed"; did you mean "read"?';
    expect((await callers.master.rest('POST', films, { body })).body['errors']).toMatchObject([{ message }]);
  });

  test('of many unknown members only a limited number is compared', async () => {
    const body = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`title${index}`, 'x']));
    const { errors } = (await callers.master.rest<{ errors: { message: string }[] }>('POST', films, { body })).body;
    expect(errors.map(({ message }) => message.includes('did you mean "title"?'))).toEqual(
      Array.from({ length: 30 }, (_, index) => index < 3),
    );
  });
});

test('a misspelt member of a bulk request or its operations is refused with the nearest name', async () => {
  const send = (body: unknown) => callers.master.rest('POST', `${films}/bulk`, { body });
  expect((await send({ operatons: [] })).body).toMatchObject({
    detail: '"operatons" is not a member of the body; did you mean "operations"?',
  });
  expect((await send({ entries: [] })).body).toMatchObject({
    detail: '"entries" is not a member of the body, which may have atomic, operations.',
  });
  const operations = [
    { op: 'creat', data: {} },
    { op: 'upsert', data: {} },
    { op: 'delete', ifMatch: '"1"' },
    { op: 'delete', slug: 'dune' },
    { op: 'create', data: { titel: 'x' } },
  ];
  const { results } = (await send({ operations })).body as { results: { error: { detail: string } }[] };
  expect(results.map(({ error }) => error.detail)).toEqual([
    'op must be create, update, delete, publish or unpublish; did you mean "create"?',
    'op must be create, update, delete, publish or unpublish.',
    '"ifMatch" is not a member of an operation; did you mean "if_match"?',
    '"slug" is not a member of an operation, which may have op, id, if_match, data.',
    'titel: is not a field of the channel; did you mean "title"?',
  ]);
});

test('a misspelt language of a channel is refused with the nearest name', async () => {
  const query = 'mutation { createChannel(input: { id: "more", language: "englsh" }) { id } }';
  const error = await refuse(callers.master, query);
  expect(error?.message).toMatch(/^language: must be one of arabic, .*, yiddish; did you mean "english"\?$/);
});

test('without declared fields, a URL with an operator in brackets is refused, and each other name is a member', async () => {
  const notes = '/channels/notes/entries';
  await callers.master.rest('POST', notes, { body: { 'year.greater': '1990', 'year[gte]': '1990' } });
  for (const caller of Object.values(callers)) {
    const { body } = await caller.rest('GET', at(notes, { 'year[gte]': '1990' }));
    expect(body).toMatchObject({
      status: 400,
      detail:
        '"year[gte]" is not a parameter here; did you mean "year.gte"? A field of this name can be compared in `where`.',
    });
    for (const query of [{ 'year.greater': '1990' }, { where: JSON.stringify({ 'year[gte]': '1990' }) }]) {
      expect((await caller.rest<unknown[]>('GET', at(notes, query as Record<string, string>))).body).toHaveLength(1);
    }
  }
});

describe('private members are suggested to those alone who may read them', () => {
  test.each([
    [where({ _onwer: 'ada' }), `"_onwer" ${noField}`, '_owner'],
    [where({ owner: 'ada' }), `"owner" ${noField}`, '_owner'],
    [where({ 'director._onwer': 'ada' }), `"director._onwer" ${noField}`, 'director._owner'],
    [list({ sort: 'owner' }), 'sort: "owner" is not a field to sort by', '_owner'],
    [list({ owner: 'ada' }), `"owner" ${neither}`, '_owner'],
    [list({ only: '_alc' }), `only: "_alc" is not a member of the channel's entries`, '_acl'],
    [at(`${films}/dune`, { only: '_alc' }), `only: "_alc" is not a member of the channel's entries`, '_acl'],
  ])('a private member is suggested to those alone who may compare by it: %s', async (target, problem, meant) => {
    const details = await Promise.all(
      Object.values(callers).map(async (caller) => (await caller.rest('GET', target)).body['detail']),
    );
    const told = `${problem}; did you mean "${meant}"?`;
    expect(details).toEqual([told, told, `${problem}.`]);
  });

  test.each([entries('where: {field: "ownr", value: "ada"}'), entries('sort: ["ownr"]')])(
    'a private member is suggested in GraphQL to those alone who may compare by it: %s',
    async (query) => {
      const told = await Promise.all(Object.values(callers).map((caller) => refuse(caller, query)));
      expect(told.map((error) => (error?.message ?? '').endsWith('did you mean "_owner"?'))).toEqual([
        true,
        true,
        false,
      ]);
    },
  );

  test('a wrong operator of a private member is explained to those alone who may compare by it', async () => {
    const details = await Promise.all(
      Object.values(callers).map(
        async (caller) => (await caller.rest('GET', where({ '_owner.nee': 'a' }))).body['detail'],
      ),
    );
    const told = expect.stringMatching(
      /^"nee" is no operator of "_owner"; it has eq, .*; did you mean \{"_owner": \{"ne": …\}\}\?$/,
    );
    expect(details).toEqual([told, told, `"_owner.nee" ${noField}.`]);
  });

  test('a refusal before the caller is identified suggests no private member', async () => {
    for (const target of [list({ _onwer: 'ada' }), list({ '_owner.nee': 'ada' }), list({ sort: '_onwer' })]) {
      const { body } = await callers.master.rest('GET', target);
      expect(body).toMatchObject({ status: 400, detail: expect.not.stringMatching(/did you mean/) as unknown });
    }
  });
});

test('names of stored objects are never suggested', async () => {
  const asked = [
    callers.master.rest('GET', '/channels/flims/entries'),
    callers.master.rest('GET', `${films}/dnue`),
    callers.master.rest('GET', list({ director: 'dnue', 'director.name': 'Dnue' })),
    callers.master.rest('POST', films, { body: { director: 'dnue' } }),
    callers.master.rest('GET', where({ 'director.spouse.name': 'x' })),
    as(app, { token: site.master, site: site.id.replace('-', '') }).rest('GET', films),
  ];
  for (const { text } of await Promise.all(asked)) expect(text).not.toContain('did you mean');
  for (const query of [
    '{ customer(id: "aad") { id } }',
    '{ channel(id: "flims") { id } }',
    'mutation { createChannel(input: { id: "x", fields: [{ name: "a", type: REFERENCE, channel: "flims" }] }) { id } }',
  ]) {
    expect(JSON.stringify(await callers.master.gql(query))).not.toContain('did you mean');
  }
});
