// Random channels, entries, filters and sorts for the properties of lists.
import fc from 'fast-check';
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import type { FieldType } from '../../../src/fields/types.ts';
import type { FieldKind, Filter, Kinds } from './oracle.ts';

type Definition = Pick<FieldDefinition, 'name' | 'type' | 'indexed' | 'options'>;

export interface World {
  readonly fields: readonly Definition[];
  readonly rows: readonly Row[];
  readonly questions: readonly Question[];
}

export interface Row {
  readonly values: Readonly<Record<string, unknown>>;
  readonly status: 'draft' | 'published';
  readonly hidden: boolean;
}

export interface Question {
  readonly filter: Filter;
  readonly sort: readonly string[];
  readonly size: number;
}

const letters = ['a', 'A', 'b', 'É', 'é', 'z', '%', '_', '\\', ' ', ',', '"', "'", '😀', '0', '10', '9', '-'];
const word = fc.array(fc.constantFrom(...letters), { maxLength: 4 }).map((parts) => parts.join(''));
const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.5, -0.5, 1e21, 2 ** 53 - 1, -1e-7, 10));
const day = fc.constantFrom('1994-10-14', '1994-10-15', '0001-01-01', '9999-12-31', '2000-02-29');
const moment = fc.constantFrom('1994-10-14T00:00:00.000Z', '1994-10-14T00:00:00.001Z', '2024-01-01T12:00:00.000Z');
const any = fc.oneof(
  word,
  number,
  fc.boolean(),
  fc.array(fc.oneof(word, number), { maxLength: 3 }),
  fc.constant({ a: 1 }),
);

const kinds: Record<string, { kind: FieldKind; value: fc.Arbitrary<unknown> }> = {
  string: { kind: 'text', value: word },
  text: { kind: 'text', value: word },
  integer: { kind: 'number', value: fc.integer({ min: -3, max: 3 }) },
  float: { kind: 'number', value: number },
  boolean: { kind: 'boolean', value: fc.boolean() },
  date: { kind: 'date', value: day },
  datetime: { kind: 'time', value: moment },
  strings: { kind: 'list', value: fc.array(word, { maxLength: 3 }) },
  select: { kind: 'text', value: fc.constantFrom('Noir', 'Drama') },
  json: { kind: 'any', value: any },
};

const scalarOps = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'exists'];
const operators: Record<FieldKind, readonly string[]> = {
  text: [...scalarOps, 'contains', 'starts_with', 'ends_with'],
  ...{ number: scalarOps, date: scalarOps, time: scalarOps },
  boolean: ['eq', 'ne', 'in', 'nin', 'exists'],
  list: ['eq', 'ne', 'in', 'nin', 'exists', 'all'],
  any: [...scalarOps, 'contains', 'starts_with', 'ends_with', 'all'],
};

const names = ['title', 'a', 'b', 'c'];
const types = Object.keys(kinds) as FieldType[];

const definitions = fc
  .array(fc.record({ type: fc.constantFrom(...types), indexed: fc.boolean() }), { minLength: 4, maxLength: 4 })
  .map((made) =>
    made.map(({ type, indexed }, at): Definition => ({
      ...{ name: names[at] ?? '', type, indexed },
      options: type === 'select' ? ['Noir', 'Drama'] : null,
    })),
  );

/** The kinds of a channel's fields; of one that declares none, by JSON type. */
export function kindsOf(fields: readonly Definition[]): Kinds {
  if (fields.length === 0) return new Map(names.map((name) => [name, 'any']));
  return new Map(fields.map(({ name, type }) => [name, kinds[type]?.kind ?? 'any']));
}

/** Random worlds; some channels declare nothing. */
export const worlds: fc.Arbitrary<World> = fc
  .oneof({ weight: 4, arbitrary: definitions }, { weight: 1, arbitrary: fc.constant([] as Definition[]) })
  .chain((fields) =>
    fc.record({
      fields: fc.constant(fields),
      rows: fc.array(rowOf(fields), { minLength: 12, maxLength: 25 }),
      questions: fc.array(questionOf(fields), { minLength: 8, maxLength: 8 }),
    }),
  );

function valueOf(fields: readonly Definition[], name: string): fc.Arbitrary<unknown> {
  const type = fields.find((field) => field.name === name)?.type;
  return type === undefined ? any : (kinds[type]?.value ?? any);
}

function rowOf(fields: readonly Definition[]): fc.Arbitrary<Row> {
  const values = Object.fromEntries(
    names.map((name) => [name, fc.option(valueOf(fields, name), { nil: undefined, freq: 4 })]),
  );
  return fc.record({
    values: fc
      .record(values)
      .map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined))),
    status: fc.constantFrom('draft', 'published'),
    hidden: fc.boolean(),
  });
}

function questionOf(fields: readonly Definition[]): fc.Arbitrary<Question> {
  const found = kindsOf(fields);
  const sortable = [...names.filter((name) => found.get(name) !== 'list'), 'slug', 'created_at', '_status'];
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      comparison(fields, found),
      fc.array(tie('filter'), { maxLength: 3 }).map((and): Filter => ({ and })),
      fc.array(tie('filter'), { maxLength: 3 }).map((or): Filter => ({ or })),
      tie('filter').map((not): Filter => ({ not })),
    ),
  }));
  return fc.record({
    filter,
    sort: fc
      .uniqueArray(fc.constantFrom(...sortable), { minLength: 1, maxLength: 3 })
      .chain((keys) => fc.tuple(...keys.map((key) => fc.constantFrom(key, `-${key}`)))),
    size: fc.integer({ min: 1, max: 8 }),
  });
}

function comparison(fields: readonly Definition[], found: Kinds): fc.Arbitrary<Filter> {
  return fc.constantFrom(...names).chain((field) => {
    const kind = found.get(field) ?? 'any';
    return fc
      .constantFrom(...operators[kind])
      .chain((op) => operand(op, kind, valueOf(fields, field)).map((value): Filter => ({ field, op, value })));
  });
}

function operand(op: string, kind: FieldKind, value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const one = kind === 'list' ? word : kind === 'any' ? fc.oneof(word, number) : value;
  if (op === 'exists') return fc.boolean();
  if (op === 'in' || op === 'nin' || op === 'all') return fc.array(one, { maxLength: 3 });
  return ['contains', 'starts_with', 'ends_with'].includes(op) ? word : one;
}
