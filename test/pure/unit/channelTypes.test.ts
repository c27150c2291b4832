// The output of `entryway types` (docs/contract.md §11.3): it compiles, agrees with the OpenAPI document on each type
// of field, and is the same for equal channels.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { writeChannelTypes, type DescribedChannel } from '../../../src/features/typed/typescript/channelTypes.ts';
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import { shownSchema } from '../../../src/fields/jsonSchema.ts';
import { fieldTypesWhere, type FieldType } from '../../../src/fields/types.ts';
import { diagnose } from '../../once/clients/diagnose.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

afterAll(removeScratch);

function field(name: string, type: FieldType, settings: Partial<FieldDefinition> = {}): FieldDefinition {
  const unset = { label: null, hint: null, message: null, default: null, options: null, channel: null };
  return {
    ...{ name, type, ...unset, required: false, unique: false, indexed: false, min: null, max: null, pattern: null },
    ...settings,
  };
}

const options = ['Noir', "it's", '"quoted"', 'a\\b', '*/'];

/** A field of each type. */
const everyType = fieldTypesWhere(() => true).map((type) =>
  field(`a_${type}`, type, {
    ...(type.endsWith('select') && { options }),
    ...(type.startsWith('reference') && { channel: 'all' }),
  }),
);

const optionsType = options.map((each) => JSON.stringify(each)).join(' | ');

/** By the type of a field: what an answer shows, what a payload sends, and an object of operators; each but for null. */
const expected: Record<FieldType, readonly [shown: string, sent: string, filter: string]> = {
  string: ['string', 'string', '{ contains: "a", gt: "a", in: ["a"] }'],
  text: ['string', 'string', '{ starts_with: "a" }'],
  html: ['string', 'string', '{ ends_with: "a" }'],
  integer: ['number', 'number', '{ gte: 1, lt: 2, nin: [3] }'],
  float: ['number', 'number', '{ ne: 1.5, exists: true }'],
  boolean: ['boolean', 'boolean', '{ eq: true }'],
  date: ['string', 'string', '{ gt: "2026-01-31" }'],
  datetime: ['string', 'string', '{ lte: "2026-01-31T00:00:00Z" }'],
  email: ['string', 'string', '{ contains: "@" }'],
  url: ['string', 'string', '{ starts_with: "https:" }'],
  json: ['unknown', 'unknown', '{ eq: "a", all: [1] }'],
  select: [optionsType, optionsType, '{ in: ["Noir"], contains: "any" }'],
  multi_select: [`(${optionsType})[]`, `readonly (${optionsType})[]`, '{ all: ["Noir"] }'],
  strings: ['string[]', 'readonly string[]', '{ all: ["a", "b"] }'],
  geo: ['GeoPoint', 'GeoPoint', '{ exists: false }'],
  reference: ['Stub', 'SentReference', '{ in: ["dune", { id: "x" }] }'],
  references: ['Stub[]', 'readonly SentReference[]', '{ all: ["dune"] }'],
  file: ['FileValue', 'FileValue', '{ exists: true }'],
};

/** What no filter of a type takes. */
const wrongFilters: Partial<Record<FieldType, string>> = {
  string: '1',
  integer: '{ contains: "1" }',
  boolean: '{ gt: true }',
  date: '{ contains: "2026" }',
  select: '"Nior"',
  multi_select: '{ in: ["Nior"] }',
  geo: '{ gt: 1 }',
  file: '"a"',
  reference: '{ contains: "a" }',
};

function compile(types: string, program: string): string[] {
  const directory = scratchDirectory();
  writeFileSync(join(directory, 'channels.ts'), types);
  writeFileSync(join(directory, 'program.ts'), program);
  return diagnose(join(directory, 'program.ts'));
}

const same = `type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <Fact extends true>(): void => void (0 as unknown as Fact);
`;

test('the types of each field type match answers, payloads and filters', () => {
  const required = everyType.map((each) => ({ ...each, required: true }));
  const types = writeChannelTypes([
    { id: 'all', name: 'all', fields: everyType },
    { id: 'needed', name: 'needed', fields: required },
    { id: 'kept', name: 'kept', fields: required.map((each) => ({ ...each, default: 'set' })) },
  ]);
  const lines = everyType.flatMap(({ name, type }) => {
    const [shown, sent, filter] = expected[type];
    const schema = JSON.stringify(shownSchema(field(name, type), { stub: true, entryOf: () => true }));
    // The document is the authority on whether a value may be null.
    const orNull = schema.includes('"null"') ? ' | null' : '';
    const wrong = wrongFilters[type];
    return [
      `holds<Same<Channels['all']['entry']['${name}'], ${shown}${orNull}>>();`,
      `holds<Same<Channels['needed']['entry']['${name}'], ${shown}${orNull}>>();`,
      `holds<Same<Required<Channels['all']['input']>['${name}'], ${sent} | null>>();`,
      `holds<Same<Channels['needed']['input']['${name}'], ${sent}>>();`,
      `holds<Same<Required<Channels['needed']['patch']>['${name}'], ${sent}>>();`,
      `export const filter_${name}: Channels['all']['filters'] = { ${name}: ${filter} };`,
      ...(wrong === undefined
        ? []
        : ['// @ts-expect-error', `export const wrong_${name}: Channels['all']['filters'] = { ${name}: ${wrong} };`]),
    ];
  });
  const program = `import type { Channels, FileValue, GeoPoint, SentReference, Stub } from './channels.js';
${same}${lines.join('\n')}
export const kept: Channels['kept']['input'] = {};
// @ts-expect-error a required field is missing
export const needed: Channels['needed']['input'] = {};
export const patch: Channels['needed']['patch'] = { slug: null, _status: 'published' };
`;
  expect(compile(types, program)).toEqual([]);
}, 600_000);

test('names that are no identifiers, or that collide, get valid and distinct type names', () => {
  const ids = ['2024', 'a-b', 'a_b', 'a--b', 'record', 'stub', 'class', 'a-b_2', 'channels', 'x-'];
  const types = writeChannelTypes([
    ...ids.map((id) => ({
      id,
      name: `*/ ${id}\n*/`,
      fields: [field('constructor', 'string', { hint: '*/ x\u2028y' })],
    })),
    { id: 'free', name: 'free', fields: [] },
    { id: 'away', name: 'away', fields: [field('one', 'reference', { channel: 'gone' }), field('two', 'reference')] },
  ]);
  const program = `import type { Channels } from './channels.js';
${same}
holds<Same<keyof Channels, ${[...ids, 'free', 'away'].map((id) => JSON.stringify(id)).join(' | ')}>>();
${ids.map((id) => `holds<Same<Channels['${id}']['entry']['channel'], '${id}'>>();`).join('\n')}
holds<Same<Channels['free']['entry']['anything'], unknown>>();
holds<Same<Channels['away']['references'], { one: null; two: null }>>();
export const free: Channels['free']['input'] = { anything: [1] };
export const where: Channels['free']['filters'] = { anything: { gt: 1 }, slug: 'a' };
`;
  expect(compile(types, program)).toEqual([]);
}, 600_000);

test('equal channels give equal types, in any order', () => {
  const channels: DescribedChannel[] = ['b', 'a', 'c'].map((id) => ({ id, name: id, fields: everyType }));
  const types = writeChannelTypes(channels);
  expect(writeChannelTypes([...channels].reverse())).toBe(types);
  expect(types.indexOf('interface AEntry')).toBeLessThan(types.indexOf('interface BEntry'));
});

test('only callers who may read settings get types with _owner and _acl in filters', () => {
  const [channel] = [{ id: 'a', name: 'a', fields: everyType }];
  const settings = { ...channel, acl: {} };
  expect(writeChannelTypes([channel])).not.toMatch(/readonly _(?:owner|acl)\?|"_owner"/);
  expect(writeChannelTypes([settings])).toMatch(/readonly _owner\?: string \| TextOperators<string>;/);
  expect(writeChannelTypes([settings])).toContain('"_owner"');
});
