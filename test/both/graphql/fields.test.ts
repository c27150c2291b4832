// Channels that declare their fields: what entries then hold, through both doors (docs/contract.md §6).
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildSite, type TestSite } from '../../support/build.ts';
import { expectData, expectEntry, expectProblem, expectRefusal } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const path = '/channels/films/entries';
const film = [
  { name: 'title', type: 'STRING', required: true, label: 'Title', hint: 'As on the poster' },
  { name: 'year', type: 'INTEGER', min: 1888, max: 2100 },
  { name: 'genres', type: 'MULTI_SELECT', options: ['Drama', 'Noir'], default: ['Drama'] },
  { name: 'seen', type: 'BOOLEAN', default: false },
  { name: 'released', type: 'DATETIME' },
];

async function masterOf(
  fields: object[] | undefined,
  site: Promise<TestSite> = buildSite(app.database.prisma),
): Promise<Caller> {
  const master = as(app, { token: (await site).master });
  const mutation = 'mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }';
  expectData(await master.gql(mutation, { input: { id: 'films', fields } }));
  return master;
}

function declare(master: Caller, fields: object[], more: object = {}) {
  const mutation = 'mutation ($input: ChannelPatch!) { updateChannel(id: "films", input: $input) { fields { name } } }';
  return master.gql(mutation, { input: { fields, ...more } });
}

async function create(master: Caller, body: object) {
  return expectEntry(await master.rest('POST', path, { body }), 201);
}

async function fetched(master: Caller, id: string): Promise<Record<string, unknown>> {
  return expectEntry(await master.rest('GET', `${path}/${id}`));
}

describe('definitions', () => {
  test('each token reads the field definitions in their order', async () => {
    const site = await buildSite(app.database.prisma);
    const master = as(app, { token: site.master });
    const mutation = 'mutation ($input: ChannelInput!) { createChannel(input: $input) { id } }';
    expectData(await master.gql(mutation, { input: { id: 'films', fields: film } }));
    const query =
      '{ channel(id: "films") { fields { name label hint type required unique indexed default options channel min max pattern message } } }';
    const unset = { label: null, hint: null, default: null, options: null, channel: null, min: null, max: null };
    const whole = film.map((field) => ({
      ...{ ...unset, pattern: null, message: null, required: false, unique: false, indexed: false },
      ...field,
    }));
    for (const token of [site.master, site.public]) {
      expect(expectData(await as(app, { token }).gql(query))).toEqual({ channel: { fields: whole } });
    }
  });

  test('invalid field definitions are refused with all errors, and nothing is stored', async () => {
    const master = await masterOf(film);
    const answer = await declare(
      master,
      [
        { name: 'Bad', type: 'STRING' },
        { name: 'a', type: 'SELECT' },
      ],
      { name: null },
    );
    expectRefusal(answer, 'BAD_USER_INPUT', ['name', 'fields', 'fields']);
    const { data } = await master.gql<{ channel: { fields: object[] } }>(
      '{ channel(id: "films") { fields { name } } }',
    );
    expect(data.channel.fields).toHaveLength(film.length);
  });

  test('unchanged field definitions change nothing', async () => {
    const site = await buildSite(app.database.prisma);
    const master = await masterOf(film, Promise.resolve(site));
    const versions = () =>
      app.database.prisma.channel.findMany({ where: { siteId: site.id, id: 'films' }, select: { version: true } });
    expectData(await declare(master, film));
    expect(await versions()).toEqual([{ version: 1 }]);
    expectData(await declare(master, film.slice(1)));
    expect(await versions()).toEqual([{ version: 2 }]);
  });
});

describe('writing', () => {
  test('a new entry gets the defaults of absent fields, and null counts as no value', async () => {
    const master = await masterOf(film);
    const entry = await create(master, {
      title: 'Laura',
      year: 1944,
      genres: null,
      released: '1944-10-11T02:00:00+02:00',
    });
    expect(entry).toMatchObject({ title: 'Laura', year: 1944, seen: false, released: '1944-10-11T00:00:00.000Z' });
    expect(entry['genres']).toEqual([]);
    expect(await create(master, { title: 'Gilda' })).toMatchObject({ genres: ['Drama'], seen: false });
  });

  test('an invalid entry is one 422 with all errors, each with its field and code', async () => {
    const master = await masterOf(film);
    const body = { year: 1700, genres: ['Noir', 'Noir'], seen: 'no', colour: 'red', __proto: 1, slug: 'A B' };
    const answer = await master.rest<{ errors: { field: string; code: string }[] }>('POST', path, { body });
    expectProblem(answer, 'validation_failed', ['colour', '__proto', 'title', 'year', 'genres', 'seen', 'slug']);
    expect(answer.body.errors.map(({ code }) => code)).toEqual([
      ...['unknown_field', 'unknown_field', 'required', 'invalid', 'invalid', 'invalid', 'invalid'],
    ]);
    const mutation = 'mutation ($input: EntryInput!) { createEntry(channel: "films", input: $input) { id } }';
    expectRefusal(await master.gql(mutation, { input: { fields: { year: 1.5, title: 5 } } }), 'BAD_USER_INPUT', [
      'title',
      'year',
    ]);
    expect((await master.rest('GET', path)).body).toEqual([]);
  });

  test('an update checks only the fields that it sets, and adds no defaults', async () => {
    const master = await masterOf(undefined);
    const { id } = await create(master, { year: 'long ago', note: 'kept' });
    expectData(await declare(master, film));
    const updated = expectEntry(await master.rest('PATCH', `${path}/${id}`, { body: { seen: true } }));
    expect(updated).toMatchObject({ seen: true, year: null });
    expect(updated['genres']).toEqual([]);
    expectProblem(await master.rest('PATCH', `${path}/${id}`, { body: { title: null } }), 'validation_failed', [
      'title',
    ]);
    expectProblem(await master.rest('PATCH', `${path}/${id}`, { body: { note: 'x' } }), 'validation_failed', ['note']);
  });
});

describe('changing the definitions loses nothing', () => {
  test('a removed field is hidden, and has its values when it is declared again', async () => {
    const master = await masterOf(film);
    const { id } = await create(master, { title: 'Laura', year: 1944 });
    expectData(
      await declare(
        master,
        film.filter(({ name }) => name !== 'year'),
      ),
    );
    expect(await fetched(master, id)).not.toHaveProperty('year');
    expectEntry(await master.rest('PATCH', `${path}/${id}`, { body: { seen: true } }));
    expectData(await declare(master, film));
    expect(await fetched(master, id)).toMatchObject({ year: 1944, seen: true });
    expectData(await declare(master, []));
    expect(await fetched(master, id)).toMatchObject({ title: 'Laura', year: 1944 });
  });

  test('a value that a changed field refuses reads as null at both doors, and is kept', async () => {
    const master = await masterOf(film);
    const { id } = await create(master, { title: 'Laura', year: 1944 });
    const asText = film.map((field) => (field.name === 'year' ? { name: 'year', type: 'STRING' } : field));
    expectData(await declare(master, asText));
    expect(await fetched(master, id)).toMatchObject({ year: null });
    const query = `{ entry(channel: "films", id: "${id}") { fields } entries(channel: "films") { nodes { fields } } }`;
    const { entry, entries } = expectData(
      await master.gql<{ entry: { fields: object }; entries: { nodes: { fields: object }[] } }>(query),
    );
    for (const { fields } of [entry, ...entries.nodes]) expect(fields).toMatchObject({ title: 'Laura', year: null });
    const narrower = film.map((field) => (field.name === 'year' ? { ...field, min: 1950 } : field));
    expectData(await declare(master, narrower));
    expect(await fetched(master, id)).toMatchObject({ year: null });
    expectData(await declare(master, film));
    expect(await fetched(master, id)).toMatchObject({ year: 1944 });
  });

  test('the ETag changes with a field’s definition, although the entry does not', async () => {
    const master = await masterOf(film);
    const { id } = await create(master, { title: 'Laura', year: 1944 });
    const etag = async (): Promise<string | null> => (await master.rest('GET', `${path}/${id}`)).headers.get('etag');
    const before = await etag();
    expectData(await declare(master, film.slice(0, 1)));
    const hidden = await etag();
    expect(hidden).not.toBe(before);
    expect(hidden?.split('.')[0]).toBe(before?.split('.')[0]);
  });

  test('titles, and the order by title, follow the definition of the title field', async () => {
    const master = await masterOf(undefined);
    for (const title of ['b', 'a', 'c', 7]) await create(master, { title, slug: `film-${title}` });
    const titles = async (): Promise<unknown[]> => {
      const list = await master.rest<{ title_field_value: unknown; slug: string }[]>(
        'GET',
        `${path}?sort=title_field_value`,
      );
      return list.body.map(({ title_field_value: title, slug }) => title ?? slug);
    };
    expect(await titles()).toEqual(['7', 'a', 'b', 'c']);
    expectData(await declare(master, [{ name: 'title', type: 'STRING' }]));
    expect(await titles()).toEqual(['a', 'b', 'c', 'film-7']);
    // Not declared: nobody sees it, and the order tells nothing of it.
    expectData(await declare(master, [{ name: 'name', type: 'STRING' }]));
    expect(await titles()).toEqual(['film-b', 'film-a', 'film-c', 'film-7']);
    expectData(
      await declare(master, [
        { name: 'name', type: 'STRING' },
        { name: 'title', type: 'JSON' },
      ]),
    );
    expect(await titles()).toEqual(['7', 'a', 'b', 'c']);
  });
});
