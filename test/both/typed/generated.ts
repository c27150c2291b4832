// Random sites for the parity of both schemas (parity.test.ts): channels and fields with unlucky names, fields of every type,
// references in every direction, and entries.
import fc from 'fast-check';
import type { FieldType } from '../../../src/fields/types.ts';

export type ValueType = Exclude<FieldType, 'reference' | 'references'>;

export interface GeneratedField {
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly indexed: boolean;
  readonly options: readonly string[] | null;
  /** The number of the channel that a reference leads to, modulo how many there are; null: it has no references. */
  readonly target: number | null;
}

export interface GeneratedRow {
  /** By the fields' names: values as REST has them; for references, numbers of entries of the target. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether it is created through the schema of the site. */
  readonly isTyped: boolean;
}

export interface GeneratedChannel {
  readonly id: string;
  readonly typeName: string | null;
  readonly read: 'public' | 'shared' | 'none';
  /** Empty: it declares none. */
  readonly fields: readonly GeneratedField[];
  readonly rows: readonly GeneratedRow[];
}

/** Ids that come to the same name, or to one that the schema has. */
const ids = [
  ...['films', 'film', 'a-b', 'a_b', 'ab', '1st', 'query', 'mutation', 'entry', 'channel', 'channels', 'int', 'string'],
  ...[
    'date',
    'date-time',
    'geo-point',
    'other-entry',
    'safe-int',
    'film-input',
    'film_where',
    'file',
    'constructor',
    '0',
  ],
];
const typeNames = ['Film', 'Films', 'Entry', 'Query', 'FilmInput', 'FilmWhere', 'String', 'Date', 'OtherEntry', 'AB'];

/** Names of fields that come to the same, or to that of a member, an operator or a word that joins conditions. */
const fieldNames = [
  ...['title', 'a_b', 'a__b', 'ab', 'a_b_', 'version', 'status', 'owner', 'acl', 'fields', 'value', 'reference'],
  ...['eq', 'ne', 'in', 'nin', 'all', 'exists', 'has', 'gt', 'node', 'nodes', 'name', 'typename', 'constructor'],
  ...[
    'to_string',
    'has_own_property',
    'created',
    'publish_at',
    'x_1',
    'x1',
    'search',
    'first',
    'asc',
    'a_asc',
    'a_desc',
    'a',
  ],
];

const optionLists = [
  ['RED', 'green', 'Blue'],
  ['35 mm', 'digital'],
  ['true', 'false'],
  ['__typename', 'b'],
  ['A', 'a', 'A_'],
];

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('"', '\\', '\\"', 'a,b', '{}', ' '),
);
const time = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const json = fc.oneof(
  scalar,
  fc.array(fc.option(scalar), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b c', '"', '{', 'length'), fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }))),
);

/** By type: values as REST has them. */
const values: Record<Exclude<ValueType, 'select' | 'multi_select'>, fc.Arbitrary<unknown>> = {
  string: text,
  text,
  html: text,
  integer: fc.oneof(fc.maxSafeInteger(), fc.nat(9)),
  float: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).map((value) => value + 0),
    fc.constantFrom(0.1, 1, -2, 1e21, 1e-7),
  ),
  boolean: fc.boolean(),
  date: time.map((day) => day.toISOString().slice(0, 10)),
  datetime: time.map((at) => at.toISOString()),
  email: fc.constantFrom('ada@example.com', 'b.o+x@example.org'),
  url: fc.constantFrom('https://example.com/', 'http://example.org/a?b=c'),
  json,
  strings: fc.array(text, { maxLength: 3 }),
  geo: fc
    .tuple(fc.integer({ min: -180, max: 180 }), fc.integer({ min: -90, max: 90 }))
    .map((coordinates) => ({ type: 'Point', coordinates })),
  file: fc.record(
    {
      url: fc.constant('https://example.com/a.pdf'),
      filename: fc.constantFrom('a.pdf', 'b c.pdf'),
      content_type: fc.constant('application/pdf'),
      size: fc.nat(),
    },
    { requiredKeys: ['url'] },
  ),
};

/** Values of a field. */
function valuesOf({ type, options }: GeneratedField): fc.Arbitrary<unknown> {
  const option = fc.constantFrom(...(options ?? ['']));
  if (type === 'reference') return fc.nat(5);
  if (type === 'references') return fc.uniqueArray(fc.nat(5), { maxLength: 3 });
  if (type === 'select') return option;
  return type === 'multi_select' ? fc.uniqueArray(option) : values[type];
}

const types: readonly FieldType[] = [
  ...(Object.keys(values) as (keyof typeof values)[]),
  ...(['select', 'multi_select', 'reference', 'references', 'reference', 'references'] as const),
];

const field: fc.Arbitrary<GeneratedField> = fc
  .record({
    name: fc.constantFrom(...fieldNames),
    type: fc.constantFrom(...types),
    isRequired: fc.integer({ min: 0, max: 5 }).map((number) => number === 0),
    indexed: fc.boolean(),
    options: fc.constantFrom(...optionLists),
    target: fc.nat(5),
  })
  .map(({ name, type, isRequired, indexed, options, target }) => {
    const leads = type === 'reference' || type === 'references';
    const isIndexable = ['string', 'integer', 'float', 'boolean', 'date', 'datetime', 'email', 'select'].includes(type);
    return {
      ...{ name, type, required: isRequired && !leads, indexed: indexed && isIndexable },
      options: type === 'select' || type === 'multi_select' ? options : null,
      target: leads ? target : null,
    };
  });

/** An entry of a channel: a required field has a value. */
function row(fields: readonly GeneratedField[]): fc.Arbitrary<GeneratedRow> {
  const each = fields.map((one) => (one.required ? valuesOf(one) : fc.option(valuesOf(one), { freq: 4 })));
  const declared = fc
    .tuple(...each)
    .map((row) => Object.fromEntries(row.flatMap((value, at) => (value === null ? [] : [[fields[at]?.name, value]]))));
  const free = fc.dictionary(fc.constantFrom('title', 'a b', 'x', 'year'), json);
  return fc.record({
    values: fields.length > 0 ? (declared as fc.Arbitrary<Record<string, unknown>>) : free,
    isTyped: fc.boolean(),
  });
}

const channel: fc.Arbitrary<GeneratedChannel> = fc
  .record({
    id: fc.constantFrom(...ids),
    typeName: fc.option(fc.constantFrom(...typeNames), { freq: 2 }),
    read: fc.constantFrom('public', 'public', 'shared', 'none'),
    fields: fc.oneof(
      { weight: 6, arbitrary: fc.uniqueArray(field, { selector: ({ name }) => name, minLength: 1, maxLength: 8 }) },
      { weight: 1, arbitrary: fc.constant<GeneratedField[]>([]) },
    ),
  })
  .chain(({ fields, ...rest }) =>
    fc.record({
      ...{ id: fc.constant(rest.id), typeName: fc.constant(rest.typeName), read: fc.constant(rest.read) },
      ...{ fields: fc.constant(fields), rows: fc.array(row(fields), { minLength: 1, maxLength: 3 }) },
    }),
  );

/** The channels of a site. */
export const generatedSite = fc.uniqueArray(channel, { selector: ({ id }) => id, minLength: 1, maxLength: 4 });
