// Random sites: what is written, read, filtered, sorted and paged through the schema of the site equals what the static schema
// has, for a master and for a visitor (docs/contract.md §11.2). Names are found by what the schema's text says of them.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isEnumType, getNamedType, isLeafType, type GraphQLOutputType } from 'graphql';
import { enums } from '../../../src/enums.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildSite } from '../../support/build.ts';
import { databaseKind } from '../../support/db.ts';
import { expectData, expectEntry } from '../../support/expect.ts';
import { seedOf } from '../../support/seed.ts';
import { generatedSite, type GeneratedChannel, type GeneratedField } from './generated.ts';
import {
  channelInSchema,
  comparedMembers,
  readSiteSchema,
  type ChannelInSchema,
  type ComparedMember,
  type SiteSchema,
} from './siteSchema.ts';

const runs = Number(process.env['RUNS'] ?? (databaseKind === 'postgresql' ? 25 : 4));
/** How many questions are in one document. */
const asked = 60;

const app: { current?: TestApp } = {};
beforeAll(async () => {
  app.current = await startApp({
    ...{ RATE_LIMIT: 'off', LOG_LEVEL: 'error', GRAPHQL_MAX_ALIASES: '1000', GRAPHQL_MAX_ROOT_FIELDS: '1000' },
  });
});
afterAll(() => app.current?.close());

type Row = Readonly<Record<string, unknown>>;
interface Page {
  readonly nodes: readonly Row[];
}

/** An entry that was created: what REST says of it. */
interface Made extends Row {
  readonly id: string;
  readonly slug: string;
}

interface Place {
  readonly channels: readonly GeneratedChannel[];
  readonly master: Caller;
  readonly visitor: Caller;
  readonly schema: SiteSchema;
  /** The names of a channel in the schema of the master. */
  readonly named: (channel: GeneratedChannel) => ChannelInSchema;
}

async function ask<Data>(caller: Caller, document: string, variables: Row, path: string): Promise<Data> {
  return expectData(await caller.gql<Data>(document, { ...variables }, { path }));
}
const typed = <Data>(caller: Caller, document: string, variables: Row = {}): Promise<Data> =>
  ask(caller, document, variables, '/graphql/site');
const plain = <Data>(caller: Caller, document: string, variables: Row = {}): Promise<Data> =>
  ask(caller, document, variables, '/graphql');

async function check(channels: readonly GeneratedChannel[]): Promise<void> {
  const place = await buildPlace(channels);
  const made = new Map<GeneratedChannel, Made[]>();
  for (const channel of channels) made.set(channel, await createRows(place, channel));
  for (const channel of channels) await refer(place, channel, made);
  for (const channel of channels) {
    const { master, visitor, schema } = place;
    const { body: rows } = await master.rest<Made[]>('GET', `/channels/${channel.id}/entries`);
    expect(rows).toHaveLength(channel.rows.length);
    await expectSameReads(master, schema, channel, rows);
    await expectSameLists(master, schema, channel, rows);
    const shown = await readSiteSchema(visitor);
    // What does not exist to a visitor takes no name, and has none.
    if (channel.read === 'public') await expectSameReads(visitor, shown, channel, rows);
    else expect([channel.id, channelInSchema(shown, channel.id)]).toEqual([channel.id, null]);
  }
}

/** Makes the channels by REST: their fields when all channels are there. */
async function buildPlace(channels: readonly GeneratedChannel[]): Promise<Place> {
  if (app.current === undefined) throw new Error('It has not been started.');
  const site = await buildSite(app.current.database.prisma);
  const [master, visitor] = [as(app.current, { token: site.master }), as(app.current, { token: site.public })];
  for (const { id, typeName, read } of channels) {
    expectEntry(await master.rest('POST', '/channels', { body: { id, typeName, acl: { read } } }), 201);
  }
  for (const { id, fields } of channels) {
    const body = {
      fields: fields.map(({ target, ...field }) => ({
        ...field,
        ...(target !== null && { channel: channels[target % channels.length]?.id }),
      })),
    };
    expectEntry(await master.rest('PATCH', `/channels/${id}`, { body }));
  }
  const schema = await readSiteSchema(master);
  const names = new Map(channels.map((channel) => [channel, channelInSchema(schema, channel.id)]));
  const named = (channel: GeneratedChannel): ChannelInSchema => {
    const found = names.get(channel);
    if (!found) throw new Error(`The schema has no channel ${channel.id}: ${schema.sdl}`);
    return found;
  };
  return { channels, master, visitor, schema, named };
}

/** Creates the entries of a channel, each through one of the schemas, without what they refer to. */
async function createRows(
  { master, named }: Pick<Place, 'master' | 'named'>,
  channel: GeneratedChannel,
): Promise<Made[]> {
  const { create, input, inputs } = named(channel);
  const made: Made[] = [];
  for (const [at, { values, isTyped }] of channel.rows.entries()) {
    const slug = `row-${at}`;
    const own = Object.entries(values).filter(([name]) => !leads(channel, name));
    if (isTyped) {
      const sent = channel.fields.length === 0 ? { fields: values } : inTyped(own, channel, inputs);
      const document = `mutation ($input: ${input}!) { made: ${create}(input: $input) { id slug } }`;
      made.push((await typed<{ made: Made }>(master, document, { input: { slug, ...sent } })).made);
    } else {
      const document =
        'mutation ($channel: ID!, $input: EntryInput!) { made: createEntry(channel: $channel, input: $input) { id slug } }';
      const variables = { channel: channel.id, input: { slug, fields: Object.fromEntries(own) } };
      made.push((await plain<{ made: Made }>(master, document, variables)).made);
    }
  }
  return made;
}

/** Values as the inputs of a channel take them. */
function inTyped(
  values: readonly (readonly [string, unknown])[],
  { fields }: GeneratedChannel,
  inputs: ReadonlyMap<string, string>,
): Row {
  return Object.fromEntries(
    values.map(([rest, value]) => {
      const type = fields.find(({ name }) => name === rest)?.type;
      return [inputs.get(rest) ?? rest, type === 'file' ? typedFile(value as Row) : value];
    }),
  );
}

function typedFile({ content_type: contentType, ...file }: Row): Row {
  return { ...file, ...(contentType !== undefined && { contentType }) };
}

function leads({ fields }: GeneratedChannel, rest: string): GeneratedField | undefined {
  return fields.find(({ name, target }) => name === rest && target !== null);
}

/** Sets what entries refer to, through the schema that they were not created by; some by slugs, some by ids. */
async function refer(
  { channels, master, named }: Place,
  channel: GeneratedChannel,
  made: ReadonlyMap<GeneratedChannel, readonly Made[]>,
): Promise<void> {
  const { update, patch, inputs } = named(channel);
  for (const [at, { values, isTyped }] of channel.rows.entries()) {
    const references = Object.entries(values).flatMap(([rest, numbers]): [string, unknown][] => {
      const field = leads(channel, rest);
      const target = field && channels[(field.target ?? 0) % channels.length];
      const entries = (target && made.get(target)) ?? [];
      if (field === undefined || entries.length === 0) return [];
      const nameOf = (number: number): string =>
        entries[number % entries.length]?.[number % 2 === 0 ? 'id' : 'slug'] ?? '';
      return [[rest, Array.isArray(numbers) ? numbers.map(nameOf) : nameOf(numbers as number)]];
    });
    const id = made.get(channel)?.[at]?.id ?? '';
    if (references.length === 0) continue;
    if (isTyped) {
      const document =
        'mutation ($channel: ID!, $id: ID!, $input: EntryInput!) { updateEntry(channel: $channel, id: $id, input: $input) { id } }';
      await plain(master, document, { channel: channel.id, id, input: { fields: Object.fromEntries(references) } });
    } else {
      const document = `mutation ($id: ID!, $input: ${patch}!) { ${update}(id: $id, input: $input) { id } }`;
      await typed(master, document, { id, input: inTyped(references, channel, inputs) });
    }
  }
}

const fixed = `id shortId slug url createdAt updatedAt titleFieldValue status publishAt owner version channel { id }
  acl { actor read }`;
const stub = '{ id slug titleFieldValue channel { id } }';

/** What is selected of an entry through its type. */
function selection({ fields }: ChannelInSchema, { fields: declared }: GeneratedChannel): string {
  if (declared.length === 0) return `{ ${fixed} own: fields }`;
  const own = [...fields.values()].map(({ name, type }) => `${name} ${below(type)}`);
  return `{ ${fixed} ${own.join(' ')} }`;
}

function below(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (named.name === 'GeoPoint') return '{ type coordinates }';
  if (named.name === 'File') return '{ url filename contentType size }';
  return named.name.endsWith('Connection') ? `{ totalCount nodes ${stub} }` : stub;
}

/** Every entry, fetched and listed, is the same by both schemas. */
async function expectSameReads(
  caller: Caller,
  schema: SiteSchema,
  channel: GeneratedChannel,
  rows: readonly Made[],
): Promise<void> {
  const names = channelInSchema(schema, channel.id);
  if (names === null) throw new Error(`The schema has no channel ${channel.id}.`);
  // Each field is there under a name of its own.
  expect([...names.fields.keys()].sort()).toEqual(channel.fields.map(({ name }) => name).sort());
  expect(new Set([...names.fields.values()].map(({ name }) => name)).size).toBe(channel.fields.length);
  const select = selection(names, channel);
  const fetches = (make: (id: string) => string): string =>
    rows.flatMap(({ id, slug }, at) => [`by_id${at}: ${make(id)}`, `by_slug${at}: ${make(slug)}`]).join(' ');
  const { list, ...one } = await typed<{ list: Page } & Record<string, Row>>(
    caller,
    `{ list: ${names.list} { nodes ${select} } ${fetches((id) => `${names.one}(id: "${id}") ${select}`)} }`,
  );
  const same = await plain<{ list: Page } & Record<string, Row>>(
    caller,
    `query ($channel: ID!) { list: entries(channel: $channel) { nodes { ${fixed} fields } }
      ${fetches((id) => `entry(channel: $channel, id: "${id}") { ${fixed} fields }`)} }`,
    { channel: channel.id },
  );
  const { list: plainList, ...plainOne } = same;
  const ofType = (row: Row): Row => plainForm(row, names, channel);
  expect(list.nodes.map(ofType)).toEqual(plainList.nodes);
  expect(Object.fromEntries(Object.entries(one).map(([alias, row]) => [alias, ofType(row)]))).toEqual(plainOne);
}

/** An entry of its type, as the static schema shows it. */
function plainForm(row: Row, { fields }: ChannelInSchema, channel: GeneratedChannel): Row {
  if (channel.fields.length === 0) {
    const { own, ...rest } = row;
    return { ...rest, fields: own };
  }
  const own = channel.fields.map(({ name: rest, type }) => {
    const name = fields.get(rest)?.name ?? '';
    return [rest, plainValue(row[name], type)] as const;
  });
  const declared = new Set([...fields.values()].map(({ name }) => name));
  const others = Object.entries(row).filter(([name]) => !declared.has(name));
  return { ...Object.fromEntries(others), fields: Object.fromEntries(own) };
}

function plainValue(value: unknown, type: GeneratedField['type']): unknown {
  if (value === null) return null;
  if (type === 'reference') return plainStub(value as Row);
  if (type === 'references') {
    const { nodes, totalCount } = value as Page & { totalCount: number };
    expect(totalCount).toBe(nodes.length);
    return nodes.map(plainStub);
  }
  if (type !== 'file') return value;
  const { contentType, ...file } = value as Row;
  const members = Object.entries({ ...file, content_type: contentType });
  return Object.fromEntries(members.filter(([, member]) => member !== null));
}

function plainStub({ id, slug, titleFieldValue, channel }: Row): Row {
  return { id, slug, title_field_value: titleFieldValue, channel: (channel as { id: string }).id };
}

/** The arguments of a list in either schema, that are to find the same. */
interface Question {
  readonly typed: { readonly where?: unknown; readonly sort?: readonly string[]; readonly first?: number };
  readonly plain: { readonly where?: unknown; readonly sort?: readonly string[]; readonly first?: number };
}

/** Every operator of every member, on both sides of `not`, beyond references too; every order; and pages of one. */
async function expectSameLists(
  caller: Caller,
  schema: SiteSchema,
  channel: GeneratedChannel,
  rows: readonly Made[],
): Promise<void> {
  const names = channelInSchema(schema, channel.id);
  if (names === null) throw new Error(`The schema has no channel ${channel.id}.`);
  const compared = comparedMembers(names.where).flatMap((member) => [
    ...comparisons(member, rows, channel),
    ...(member.isReference ? hops(member, rows) : []),
  ]);
  const orders = [...names.sorts].map(([name, key]): Question => ({ typed: { sort: [name] }, plain: { sort: [key] } }));
  const first = compared.slice(0, 2).map(({ typed: { where } }) => where);
  const joined = compared.slice(0, 2).map(({ plain: { where } }) => where);
  const both: Question[] = [
    { typed: { where: { or: first } }, plain: { where: { or: joined } } },
    { typed: { where: { and: first } }, plain: { where: { and: joined } } },
  ];
  const questions = [...compared, ...compared.map(negated), ...orders, ...both, ...freely(rows, channel)];
  expect(questions.length).toBeGreaterThan(20);
  for (let at = 0; at < questions.length; at += asked) {
    await expectSameAnswers(caller, names, channel, questions.slice(at, at + asked));
  }
  await expectSamePages(caller, names, channel);
}

function negated({ typed: { where: typedWhere }, plain: { where: plainWhere } }: Question): Question {
  return { typed: { where: { not: typedWhere } }, plain: { where: { not: plainWhere } } };
}

/** The operator of the static schema. */
function plainOperator(name: string): string {
  const rest = name === 'has' ? 'eq' : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const found = Object.entries(enums.FilterOp).find(([, value]) => value === rest);
  expect([name, found]).toEqual([name, expect.any(Array)]);
  return found?.[0] ?? '';
}

/** Each operator of a member with a value that an entry has. */
function comparisons(member: ComparedMember, rows: readonly Made[], channel: GeneratedChannel): Question[] {
  const sample = rows.map((row) => row[member.rest]).find((value) => value !== null && value !== undefined);
  const value = Array.isArray(sample) ? (sample as unknown[])[0] : sample;
  return member.operators.flatMap(({ name, type }): Question[] => {
    if (name === 'exists') return [question(member, name, true, true)];
    if (value === undefined) return [];
    const isPart = name === 'contains' || name === 'startsWith' || name === 'endsWith';
    const one = member.isReference ? (value as Made).id : isPart ? [...String(value)].slice(0, 2).join('') : value;
    const isFile = channel.fields.some((field) => field.name === member.rest && field.type === 'file');
    const isStatus = member.rest === '_status' && isEnumType(getNamedType(type));
    const own = isFile ? typedFile(one as Row) : isStatus ? String(one).toUpperCase() : one;
    const isList = name === 'in' || name === 'nin' || name === 'all';
    return [question(member, name, isList ? [own] : own, isList ? [one] : one)];
  });
}

function question(member: ComparedMember, operator: string, typedValue: unknown, plainValue: unknown): Question {
  return {
    typed: { where: { [member.name]: { [operator]: typedValue } } },
    plain: { where: { field: member.rest, op: plainOperator(operator), value: plainValue } },
  };
}

/** What a reference leads to, by whether its members are there, and by the slug. */
function hops(reference: ComparedMember, rows: readonly Made[]): Question[] {
  const target = rows.flatMap((row) => (row[reference.rest] ?? []) as Made | Made[])[0];
  return comparedMembers(reference.input).flatMap((member): Question[] => {
    const path = `${reference.rest}.${member.rest}`;
    const tests: [string, unknown][] = [['exists', true]];
    if (member.rest === 'slug' && target) tests.push(['eq', target.slug], ['contains', target.slug.slice(1, 3)]);
    return tests.map(([operator, value]) => ({
      typed: { where: { [reference.name]: { [member.name]: { [operator]: value } } } },
      plain: { where: { field: path, op: plainOperator(operator), value } },
    }));
  });
}

/** Comparisons in a channel that declares no fields. */
function freely(rows: readonly Made[], { fields }: GeneratedChannel): Question[] {
  if (fields.length > 0) return [];
  const names = ['title', 'a b', 'x', 'year'];
  return names.flatMap((name) => {
    const value = rows.map((row) => row[name]).find((each) => each !== undefined && each !== null) ?? 'none';
    return [
      { name, op: 'EXISTS', value: true },
      { name, op: 'EQ', value },
    ].map((each): Question => {
      const { name: field, op, value: operand } = each;
      return { typed: { where: { fields: [each] } }, plain: { where: { field, op, value: operand } } };
    });
  });
}

/** Both schemas find the same entries, in the same order. */
async function expectSameAnswers(
  caller: Caller,
  { list, where, sort }: ChannelInSchema,
  { id: channel }: GeneratedChannel,
  questions: readonly Question[],
): Promise<void> {
  const variables = (which: 'typed' | 'plain'): Row =>
    Object.fromEntries(
      questions.flatMap((each, at) => [
        [`w${at}`, each[which].where ?? null],
        [`s${at}`, each[which].sort ?? null],
      ]),
    );
  const document = (field: string, whereType: string, sortType: string): string => {
    const declared = questions.map((_each, at) => `$w${at}: ${whereType} $s${at}: [${sortType}!]`);
    const fields = questions.map((_each, at) => `q${at}: ${field}where: $w${at}, sort: $s${at}) { nodes { id } }`);
    return `query (${declared.join(' ')}) { ${fields.join(' ')} }`;
  };
  const found = await typed<Row>(caller, document(`${list}(`, where.name, sort), variables('typed'));
  const same = await plain<Row>(
    caller,
    document(`entries(channel: "${channel}", `, 'EntryFilter', 'String'),
    variables('plain'),
  );
  const answers = (answer: Row): unknown[] => questions.map((each, at) => [each.plain, answer[`q${at}`]]);
  expect(answers(found)).toEqual(answers(same));
}

/** Pages of one entry, by the cursor of the page before. */
async function expectSamePages(
  caller: Caller,
  { list, sorts }: ChannelInSchema,
  channel: GeneratedChannel,
): Promise<void> {
  const [sort = '', key = ''] = [...sorts].at(-1) ?? [];
  const page = '{ totalCount nodes { id } edges { node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } }';
  interface Answer {
    readonly page: { readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null } };
  }
  let after: string | null = null;
  for (let at = 0; at < channel.rows.length; at += 1) {
    const own: Answer = await typed(
      caller,
      `query ($after: String) { page: ${list}(sort: [${sort}], first: 1, after: $after) ${page} }`,
      { after },
    );
    const same: Answer = await plain(
      caller,
      `query ($after: String) {
        page: entries(channel: "${channel.id}", sort: ["${key}"], first: 1, after: $after) ${page} }`,
      { after },
    );
    expect(own).toEqual(same);
    expect(own.page.pageInfo.hasNextPage).toBe(at + 1 < channel.rows.length);
    after = own.page.pageInfo.endCursor;
  }
}

const seed = seedOf(process.env['SEED']);

test(`random sites, of seed ${seed}, are alike through both schemas`, async () => {
  const property = fc.asyncProperty(generatedSite, check);
  const result = await fc.check(property, { numRuns: runs, seed, endOnFailure: true });
  if (!result.failed) {
    expect(result.numRuns).toBe(runs);
    return;
  }
  const because = result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
  throw new Error(`${because}\n\n${JSON.stringify(result.counterexample, null, 1)}`);
}, 600_000);
