// The schema of the site (docs/contract.md §11.2): what a channel becomes in it, and that reading and writing through it is
// what it is through the static schema.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema, printType, validateSchema } from 'graphql';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, buildUser, type TestSite } from '../../support/build.ts';
import { expectData, expectRefusal, expectRequestRefused } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const path = '/graphql/site';

/** Every type of field. */
const fields = [
  { name: 'title', type: 'string', required: true },
  { name: 'year', type: 'integer' },
  { name: 'rating', type: 'float' },
  { name: 'in_colour', type: 'boolean' },
  { name: 'premiere', type: 'date' },
  { name: 'shown_at', type: 'datetime' },
  { name: 'mood', type: 'select', options: ['DARK', 'light'] },
  { name: 'genres', type: 'multi_select', options: ['DRAMA', 'NOIR'] },
  { name: 'format', type: 'select', options: ['35 mm', 'digital'] },
  { name: 'keywords', type: 'strings' },
  { name: 'extra', type: 'json' },
  { name: 'place', type: 'geo' },
  { name: 'poster', type: 'file' },
  { name: 'director', type: 'reference', channel: 'people' },
  { name: 'cast', type: 'references', channel: 'people' },
  { name: 'sequel', type: 'reference', channel: 'films' },
  { name: 'secret', type: 'reference', channel: 'vaults' },
  { name: 'mail', type: 'email' },
  { name: 'site', type: 'url' },
  { name: 'plot', type: 'text' },
  { name: 'review', type: 'html' },
  { name: 'status', type: 'string' },
] as const;

interface Scene {
  readonly site: TestSite;
  readonly master: Caller;
  readonly visitor: Caller;
}

let scene: Scene;
beforeAll(async () => {
  scene = await buildScene();
});

async function buildScene(): Promise<Scene> {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const people = await buildChannel(db, site.id, {
    ...{ id: 'people', typeName: 'Person', titleField: 'name' },
    fields: [
      { name: 'name', type: 'string' },
      { name: 'born', type: 'integer' },
      { name: 'all', type: 'string' },
    ],
  });
  await buildChannel(db, site.id, { id: 'films', typeName: 'Film', publishable: true, fields: [...fields] });
  await buildChannel(db, site.id, { id: 'notes' });
  await buildChannel(db, site.id, { id: 'vaults', readScope: 'none', fields: [{ name: 'title', type: 'string' }] });
  await buildEntry(db, people, { slug: 'ada', data: { name: 'Ada', born: 1900, all: 'x' } });
  await buildEntry(db, people, { slug: 'bo', data: { name: 'Bo', born: 1920 } });
  return {
    site,
    master: as(app, { token: site.master }),
    visitor: as(app, { token: site.public }),
  };
}

const values = {
  ...{ title: 'M', year: 1931, rating: 8.5, inColour: false, premiere: '1931-05-11', mood: 'DARK', genres: ['NOIR'] },
  ...{ shownAt: '2026-01-31T09:30:00.000Z', format: '35 mm', keywords: ['a', 'b'], extra: { any: [1] } },
  ...{ place: { coordinates: [13.4, 52.5] }, poster: { url: 'https://example.com/p.png', contentType: 'image/png' } },
  ...{ director: 'ada', cast: ['bo', 'ada'], mail: 'a@example.com', site: 'https://example.com/', plot: 'p' },
  ...{ review: '<p>r</p>', status_: 'old' },
};

const selection = `{ id title year rating inColour premiere shownAt mood genres format keywords extra
  place { type coordinates } poster { url filename contentType size } director { slug name born }
  cast { nodes { slug } totalCount } sequel { title } mail site plot review status_ status version __typename }`;

function ask(caller: Caller, document: string, variables: Record<string, unknown> = {}) {
  return caller.gql(document, variables, { path });
}

async function createFilm(caller: Caller, input: Record<string, unknown> = values): Promise<Record<string, unknown>> {
  const document = `mutation ($input: FilmInput!) { createFilm(input: $input) ${selection} }`;
  return expectData(await ask(caller, document, { input }))['createFilm'] as Record<string, unknown>;
}

function text(caller: Caller, at = `${path}/schema.graphql`) {
  return caller.rest('GET', at);
}

describe('the schema', () => {
  test('each input of the site’s schema is used by an argument or another input', async () => {
    for (const caller of [scene.master, scene.visitor]) {
      const { text: sdl } = await text(caller);
      const inputs = [...sdl.matchAll(/^input (\w+)/gm)].map(([, name = '']) => name);
      expect(inputs).toContain('PersonReferenceWhere');
      expect(inputs.filter((name) => !new RegExp(`: \\[?${name}\\b`).test(sdl))).toEqual([]);
    }
  });

  test('the site’s schema is valid, and has the types, inputs, enums, queries and mutations of each channel', async () => {
    const { text: sdl } = await text(scene.master);
    const schema = buildSchema(sdl);
    expect(validateSchema(schema)).toEqual([]);
    const lines = (name: string): string[] => {
      const type = schema.getType(name);
      const bare = (type ? printType(type) : '').replaceAll(/^\s*""".*?"""$\n?/gms, '');
      return bare
        .split('\n')
        .slice(1, -1)
        .map((line) => line.trim());
    };
    expect(lines('Film').slice(12)).toEqual([
      'owner: ID',
      'title: String',
      'year: SafeInt',
      'rating: Float',
      'inColour: Boolean',
      'premiere: Date',
      'shownAt: DateTime',
      'mood: FilmMood',
      'genres: [FilmGenres!]!',
      'format: String',
      'keywords: [String!]!',
      'extra: JSON',
      'place: GeoPoint',
      'poster: File',
      'director: Person',
      'cast(',
      'first: Int',
      'after: String',
      '): PersonConnection',
      'sequel: Film',
      'secret: Vaults',
      'mail: String',
      'site: String',
      'plot: String',
      'review: String',
      'status_: String',
    ]);
    expect(lines('FilmMood')).toEqual(['DARK', 'light']);
    expect(lines('FilmInput').slice(0, 7)).toEqual([
      ...['slug: String', 'status: EntryStatus', 'publishAt: DateTime', 'acl: [AclRuleInput!]', 'owner: ID'],
      ...['title: String!', 'year: SafeInt'],
    ]);
    expect(lines('FilmPatch')).toContain('title: String');
    expect(lines('Notes')).toContain('fields: JSONObject!');
    expect(lines('FilmSort')).toEqual(
      expect.arrayContaining(['YEAR_ASC', 'YEAR_DESC', 'IN_COLOUR_ASC', 'STATUS_ASC_']),
    );
    expect(lines('FilmGenresListFilter')).toEqual([
      ...['has: FilmGenres', 'ne: FilmGenres', 'in: [FilmGenres!]', 'nin: [FilmGenres!]', 'exists: Boolean'],
      'all: [FilmGenres!]',
    ]);
    expect(lines('PersonReferenceWhere')).toEqual(
      expect.arrayContaining(['eq: ID', 'name: StringFilter', 'all_: StringFilter']),
    );
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual([
      ...['channel', 'channels', 'person', 'people', 'film', 'films', 'notesEntry', 'notes', 'vaultsEntry', 'vaults'],
    ]);
    expect(Object.keys(schema.getMutationType()?.getFields() ?? {}).slice(0, 3)).toEqual([
      ...['createPerson', 'updatePerson', 'deletePerson'],
    ]);
    expect(printType(schema.getType('Film') as never)).toContain('In REST: `in_colour`.');
    expect(sdl).toContain('It has a `_` at its end, because `status` is taken.');
  });

  test('the site’s schema for a public token has the known channels alone', async () => {
    const { text: sdl } = await text(scene.visitor);
    expect(validateSchema(buildSchema(sdl))).toEqual([]);
    expect(sdl).not.toMatch(/vault/i);
    expect(sdl).toContain('secret: OtherEntry');
    expect(sdl).not.toContain('AclFilter');
    expect(await ask(scene.visitor, '{ vaults { nodes { id } } }')).toMatchObject({ status: 400 });
    expectData(await ask(scene.master, '{ vaults { nodes { id } } }'));
  });

  test('a request of the site’s schema without a token is refused', async () => {
    expectRequestRefused(await ask(as(app), '{ channels { id } }'), 401, 'UNAUTHENTICATED');
    expect((await text(as(app))).status).toBe(401);
    const user = await buildUser(app.database.prisma, { memberOf: [scene.site.id] });
    expectRequestRefused(await ask(as(app, { token: user.token }), '{ channels { id } }'), 400, 'BAD_USER_INPUT');
    expectData(
      await ask(as(app, { token: user.token, site: scene.site.id }), '{ channels { id } films { totalCount } }'),
    );
  });

  test('the text of the static schema is sent without a token', async () => {
    const { status, text: sdl, headers } = await text(as(app), '/graphql/schema.graphql');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(validateSchema(buildSchema(sdl))).toEqual([]);
    expect(sdl).toContain('type Entry {');
  });
});

describe('reading and writing', () => {
  test('a created entry is read by its types, with the values of the static schema', async () => {
    const film = await createFilm(scene.master);
    const expected = {
      ...values,
      place: { type: 'Point', ...values.place },
      poster: { ...values.poster, filename: null, size: null },
      director: { slug: 'ada', name: 'Ada', born: 1900 },
      cast: { nodes: [{ slug: 'bo' }, { slug: 'ada' }], totalCount: 2 },
      ...{ sequel: null, status: 'DRAFT', version: 1, __typename: 'Film', id: expect.any(String) },
    };
    expect(film).toEqual(expected);
    const { id } = film;
    expect(expectData(await ask(scene.master, `query ($id: ID!) { film(id: $id) ${selection} }`, { id }))).toEqual({
      film: expected,
    });
    const static_ = await scene.master.gql('query ($id: ID!) { entry(channel: "films", id: $id) { fields } }', { id });
    const { entry } = expectData(static_) as { entry: { fields: object } };
    expect(entry.fields).toMatchObject({
      ...{ title: 'M', in_colour: false, status: 'old', director: { slug: 'ada' } },
      ...{ place: { type: 'Point', coordinates: [13.4, 52.5] } },
      poster: { url: 'https://example.com/p.png', content_type: 'image/png' },
    });
  });

  test('an update sets sent fields, clears null ones, and is refused with an old version', async () => {
    const { id } = await createFilm(scene.master);
    const document = `mutation ($id: ID!, $input: FilmPatch!, $v: Int) { updateFilm(id: $id, input: $input, ifVersion: $v)
      { version title year status cast { totalCount } } }`;
    const input = { year: null, cast: [], status: 'PUBLISHED' };
    expect(expectData(await ask(scene.master, document, { id, input, v: 1 }))).toEqual({
      updateFilm: { version: 2, title: 'M', year: null, status: 'PUBLISHED', cast: { totalCount: 0 } },
    });
    expectRefusal(await ask(scene.master, document, { id, input, v: 1 }), 'PRECONDITION_FAILED');
    expectRefusal(await ask(scene.visitor, document, { id, input: {} }), 'FORBIDDEN');
    const remove = 'mutation ($id: ID!) { deleteFilm(id: $id) }';
    expect(expectData(await ask(scene.master, remove, { id }))).toEqual({ deleteFilm: id });
    expect(expectData(await ask(scene.master, 'query ($id: ID!) { film(id: $id) { id } }', { id }))).toEqual({
      film: null,
    });
  });

  test('errors of the site’s schema name fields like REST', async () => {
    const document =
      'mutation { createFilm(input: { title: "x", inColour: true, shownAt: "x", director: "nobody" }) { id } }';
    expectRefusal(await ask(scene.master, document), 'BAD_USER_INPUT', ['shown_at', 'director']);
    const missing = await ask(scene.master, 'mutation { createFilm(input: { year: 1 }) { id } }');
    expect([missing.status, missing.errors?.[0]?.message]).toEqual([400, expect.stringContaining('title')]);
  });

  test('numbers that would be stored with another value are refused', async () => {
    const create = (input: string) =>
      ask(scene.master, `mutation { createFilm(input: { title: "x", ${input} }) { id } }`);
    expectRefusal(await create('rating: 9007199254740993'), 'BAD_USER_INPUT', ['rating']);
    expect((await create('year: 9007199254740993')).status).toBe(400);
    expect((await create('year: 1.5')).status).toBe(400);
  });

  test('an undeclared field is sent in `fields`', async () => {
    const document = `mutation { createNotes(input: { slug: "n", fields: { a: 1, title: "T" } }) { titleFieldValue fields } }`;
    expect(expectData(await ask(scene.master, document))).toEqual({
      createNotes: { titleFieldValue: 'T', fields: { a: 1, title: 'T' } },
    });
    const list = '{ notes(where: { fields: [{ name: "a", op: GTE, value: 1 }] }) { nodes { slug } } }';
    expect(expectData(await ask(scene.master, list))).toEqual({ notes: { nodes: [{ slug: 'n' }] } });
  });
});

describe('lists', () => {
  const names = async (caller: Caller, args: string): Promise<unknown> => {
    const { people } = expectData(await ask(caller, `{ people(${args}) { nodes { name } } }`)) as {
      people: { nodes: { name: string }[] };
    };
    return people.nodes.map(({ name }) => name);
  };

  test('lists of the site’s schema are filtered and sorted by type', async () => {
    expect(await names(scene.visitor, 'sort: [BORN_DESC]')).toEqual(['Bo', 'Ada']);
    expect(await names(scene.visitor, 'where: { born: { gte: 1910 } }')).toEqual(['Bo']);
    expect(await names(scene.visitor, 'where: { born: { gt: 1, lt: 1910 }, name: { startsWith: "a" } }')).toEqual([
      'Ada',
    ]);
    expect(await names(scene.visitor, 'where: { not: { all: { exists: true } } }')).toEqual(['Bo']);
    expect(
      await names(scene.visitor, 'where: { or: [{ slug: { eq: "bo" } }, { all: { eq: "x" } }] }, sort: [NAME_ASC]'),
    ).toEqual(['Ada', 'Bo']);
    expect(await names(scene.visitor, 'where: { or: [] }')).toEqual([]);
    expect(await names(scene.visitor, 'where: { born: {} }, sort: [NAME_ASC]')).toEqual(['Ada', 'Bo']);
    expect(await names(scene.visitor, 'first: 1, page: 2, sort: [NAME_ASC]')).toEqual(['Bo']);
  });

  test('a condition that is null is refused', async () => {
    for (const where of ['{ born: null }', '{ born: { eq: null } }']) {
      expectRefusal(await ask(scene.visitor, `{ people(where: ${where}) { nodes { id } } }`), 'BAD_USER_INPUT');
    }
  });

  test('lists of the site’s schema are filtered through references', async () => {
    const { id } = await createFilm(scene.master, {
      title: 'Reached',
      director: 'ada',
      cast: ['bo'],
      genres: ['DRAMA'],
    });
    const found = async (where: string): Promise<unknown> => {
      const document = `{ films(where: { id: { eq: "${String(id)}" }, and: [${where}] }) { nodes { title } } }`;
      return (expectData(await ask(scene.master, document)) as { films: { nodes: unknown[] } }).films.nodes.length;
    };
    for (const [where, count] of [
      ['{ director: { name: { eq: "Ada" } } }', 1],
      ['{ director: { name: { eq: "Bo" } } }', 0],
      ['{ director: { eq: "ada" } }', 1],
      ['{ director: { exists: false } }', 0],
      ['{ director: { all_: { eq: "x" } } }', 1],
      ['{ cast: { all: ["bo"] } }', 1],
      ['{ cast: { born: { gt: 1910 } } }', 1],
      ['{ genres: { has: DRAMA } }', 1],
      ['{ genres: { all: [DRAMA, NOIR] } }', 0],
      ['{ status: { eq: DRAFT } }', 1],
    ] as const) {
      expect([where, await found(where)]).toEqual([where, count]);
    }
  });

  test('a token that may not read `_owner` cannot filter or sort by it', async () => {
    expect((await ask(scene.visitor, '{ films(where: { owner: { eq: "x" } }) { nodes { id } } }')).status).toBe(400);
    expect((await ask(scene.visitor, '{ films(sort: [OWNER_ASC]) { nodes { id } } }')).status).toBe(400);
    expectData(await ask(scene.master, '{ films(where: { owner: { eq: "x" } }, sort: [OWNER_ASC]) { nodes { id } } }'));
  });

  test('lists of the site’s schema have pages by cursor', async () => {
    interface Page {
      people: { nodes: { name: string }[]; pageInfo: { endCursor: string; hasNextPage: boolean } };
    }
    const document = `query ($after: String) { people(first: 1, after: $after, sort: [NAME_ASC])
      { nodes { name } pageInfo { endCursor hasNextPage } } }`;
    const first = expectData(await ask(scene.visitor, document)) as unknown as Page;
    const after = first.people.pageInfo.endCursor;
    const second = expectData(await ask(scene.visitor, document, { after })) as unknown as Page;
    expect([first, second].map(({ people }) => people.nodes[0]?.name)).toEqual(['Ada', 'Bo']);
    expect(second.people.pageInfo.hasNextPage).toBe(false);
  });
});
