// Random channels and values: what is written and read through the schema of the site equals what the static schema has, and so
// do filters and orders (docs/contract.md §11.2).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildSite } from '../../support/build.ts';
import { databaseKind } from '../../support/db.ts';
import { expectData } from '../../support/expect.ts';
import { seedOf } from '../../support/seed.ts';

const runs = databaseKind === 'postgresql' ? 12 : 3;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ RATE_LIMIT: 'off', LOG_LEVEL: 'error' });
});
afterAll(() => app.close());

const text = fc.string({ unit: 'grapheme-ascii', maxLength: 20 });
const options = ['RED', 'green', 'Blue'];

/** By type: values as REST has them. */
const values = {
  string: text,
  text,
  integer: fc.maxSafeInteger(),
  float: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  boolean: fc.boolean(),
  date: fc
    .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
  datetime: fc
    .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((time) => time.toISOString()),
  select: fc.constantFrom(...options),
  multi_select: fc.uniqueArray(fc.constantFrom(...options), { minLength: 1 }),
  strings: fc.array(text, { minLength: 1, maxLength: 3 }),
  json: fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null && !JSON.stringify(value).includes('e')),
  geo: fc
    .tuple(fc.integer({ min: -180, max: 180 }), fc.integer({ min: -90, max: 90 }))
    .map((coordinates) => ({ type: 'Point', coordinates })),
  file: fc.record({ url: fc.constant('https://example.com/a.pdf'), size: fc.nat() }),
};
type Type = keyof typeof values;
const types = Object.keys(values) as Type[];

/** What is selected of a value. */
const selections: Partial<Record<Type, string>> = { geo: '{ type coordinates }', file: '{ url size }' };

const site = fc.array(fc.constantFrom(...types), { minLength: 1, maxLength: 8 }).chain((chosen) => {
  const names = chosen.map((type, at) => `field_${at}_${type}`);
  const entry = fc.tuple(...chosen.map((type) => fc.option<unknown>(values[type], { freq: 4 })));
  return fc.record({
    chosen: fc.constant(chosen),
    names: fc.constant(names),
    rows: fc.array(entry, { minLength: 1, maxLength: 3 }),
  });
});
type Site = typeof site extends fc.Arbitrary<infer Value> ? Value : never;

/** `field_0_multi_select` in the schema. */
function inSchema(name: string): string {
  return name
    .split('_')
    .map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
}

type Row = Record<string, unknown> & { readonly id: string; readonly fields: Record<string, unknown> };

async function typed<Data>(caller: Caller, document: string, variables: object = {}): Promise<Data> {
  return expectData(await caller.gql<Data>(document, { ...variables }, { path: '/graphql/site' }));
}

async function check({ chosen, names, rows }: Site): Promise<void> {
  const db = app.database.prisma;
  const built = await buildSite(db);
  const master = as(app, { token: built.master });
  const fields = chosen.map((type, at) => ({
    ...{ name: names[at] ?? '', type },
    ...(type.includes('select') && { options }),
  }));
  await buildChannel(db, built.id, { id: 'things', typeName: 'Thing', fields });
  const selection = `{ id ${chosen.map((type, at) => `${inSchema(names[at] ?? '')} ${selections[type] ?? ''}`).join(' ')} }`;
  const typedRows: Row[] = [];
  for (const [at, row] of rows.entries()) {
    const pairs = row.map((value, index) => [names[index] ?? '', value] as const);
    const plain =
      'mutation ($fields: JSONObject) { createEntry(channel: "things", input: { fields: $fields }) { id } }';
    // Half of them are written through each schema.
    if (at % 2 === 1) expectData(await master.gql(plain, { fields: Object.fromEntries(pairs) }));
    else {
      const input = Object.fromEntries(pairs.map(([name, value]) => [inSchema(name), value]));
      const create = `mutation ($input: ThingInput!) { createThing(input: $input) ${selection} }`;
      typedRows.push((await typed<{ createThing: Row }>(master, create, { input })).createThing);
    }
  }
  const readTyped = async (args: string, variables = '', sent = {}): Promise<Row[]> =>
    (
      await typed<{ things: { nodes: Row[] } }>(
        master,
        `query ${variables} { things${args} { nodes ${selection} } }`,
        sent,
      )
    ).things.nodes;
  const readPlain = async (args: object): Promise<Row[]> => {
    const document = `query ($where: EntryFilter, $sort: [String!])
      { entries(channel: "things", where: $where, sort: $sort) { nodes { id fields } } }`;
    const answer = await master.gql<{ entries: { nodes: Row[] } }>(document, { ...args });
    return expectData(answer).entries.nodes;
  };
  const plainRows = await readPlain({});
  const shown = plainRows.map(({ id, fields: own }) => ({
    id,
    ...Object.fromEntries(names.map((name) => [inSchema(name), own[name]])),
  }));
  expect(await readTyped('')).toEqual(shown);
  expect(shown).toEqual(expect.arrayContaining(typedRows));
  for (const [at, type] of chosen.entries()) {
    const name = names[at] ?? '';
    if (!['multi_select', 'strings', 'geo', 'file'].includes(type)) {
      const ordered = await readPlain({ sort: [`-${name}`] });
      const sorted = await readTyped(`(sort: [${name.toUpperCase()}_DESC])`);
      expect([name, sorted.map(({ id }) => id)]).toEqual([name, ordered.map(({ id }) => id)]);
    }
    const sample = plainRows.map(({ fields: own }) => own[name]).find((value) => value !== null && value !== undefined);
    const isEmpty = Array.isArray(sample) && sample.length === 0;
    if (sample === undefined || isEmpty || type === 'json') continue;
    const isList = type === 'multi_select' || type === 'strings';
    const value = isList ? (sample as unknown[])[0] : sample;
    const found = await readPlain({ where: { field: name, op: 'EQ', value } });
    const where = { [inSchema(name)]: { [isList ? 'has' : 'eq']: value } };
    const filtered = await readTyped('(where: $where)', '($where: ThingWhere)', { where });
    expect([name, filtered.map(({ id }) => id)]).toEqual([name, found.map(({ id }) => id)]);
    expect(found.length).toBeGreaterThan(0);
    const others = await readTyped('(where: { not: $where })', '($where: ThingWhere)', { where });
    expect(others.length).toBe(plainRows.length - found.length);
  }
}

const seed = seedOf(process.env['SEED']);

test(`random channels, of seed ${seed}, are alike through both schemas`, async () => {
  const property = fc.asyncProperty(site, check);
  await fc.assert(property, { numRuns: runs, seed, endOnFailure: true });
  expect(runs).toBeGreaterThan(0);
}, 240_000);
