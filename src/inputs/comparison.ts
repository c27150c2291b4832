// What a filter means in a channel: each name a field that the caller may compare by, each value one of its type.
import { z } from 'zod';
import { fail } from '../errors.ts';
import { comparableField, type ComparableField } from '../fields/comparable.ts';
import type { ComparisonKind } from '../fields/types.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { Comparison, Condition, Operator } from './filter.ts';
import { hopOf, type Hop, type Named } from './hop.ts';
import { hasFiniteNumbers } from './json.ts';
import { timeInput } from '../fields/time.ts';

/** A condition whose fields and values are known to go together. */
export type Predicate =
  | { readonly all: readonly Predicate[] }
  | { readonly any: readonly Predicate[] }
  | { readonly not: Predicate }
  | Hop
  | Named
  | Test;

/** What a field's value is held against. Negations stand outside. */
export interface Test {
  readonly field: ComparableField;
  readonly op: Exclude<Operator, 'ne' | 'nin' | 'in'>;
  /** For `eq` one of these, for `all` each of them, for the others the one; of each, any of its readings. */
  readonly values: readonly (readonly unknown[])[];
}

const comparisons: readonly Operator[] = ['gt', 'gte', 'lt', 'lte'];
const searches: readonly Operator[] = ['contains', 'starts_with', 'ends_with'];
const equalities: readonly Operator[] = ['eq', 'ne', 'in', 'nin', 'exists'];

/** What can be asked of the values of each kind. */
const operatorsOf: Record<ComparisonKind, readonly Operator[]> = {
  text: [...equalities, ...comparisons, ...searches],
  number: [...equalities, ...comparisons],
  date: [...equalities, ...comparisons],
  time: [...equalities, ...comparisons],
  boolean: equalities,
  list: [...equalities, 'all'],
  any: [...equalities, ...comparisons, ...searches, 'all'],
  opaque: equalities,
};

/** Who compares, and what is at hand for that. */
export interface Reader {
  /** Whether `_owner` and `_acl` are the caller's to read. */
  readonly mayReadPrivate: boolean;
  /** The channels that reference fields lead to, by the fields' names; null for one that was deleted. */
  readonly targets: ReadonlyMap<string, Channel | null>;
}

/**
 * What a condition means in a channel.
 * @throws bad_request for a field that the channel does not have, an operator that does not go with it, or a value that it
 * can't have
 */
export function predicateOf(condition: Condition, channel: Channel, reader: Reader): Predicate {
  const inside = (each: Condition): Predicate => predicateOf(each, channel, reader);
  if ('all' in condition) return { all: condition.all.map(inside) };
  if ('any' in condition) return { any: condition.any.map(inside) };
  if ('not' in condition) return { not: inside(condition.not) };
  const hop = hopOf(condition, channel, reader);
  if (hop !== null) return hop;
  const { field: name, op } = condition;
  const field = comparableField(name, channel, reader.mayReadPrivate);
  if (field === null) fail('bad_request', `${JSON.stringify(name)} is no field of the channel's entries.`);
  if (!operatorsOf[field.kind].includes(op)) fail('bad_request', `${name}: ${op} does not go with the field's type.`);
  return testOf(field, condition);
}

function testOf(field: ComparableField, { op, value, isText }: Comparison): Predicate {
  const readings = (each: unknown): unknown[] => readingsOf(field, each, isText === true);
  switch (op) {
    case 'exists': {
      const test: Test = { field, op, values: [] };
      return isTrue(field.name, value, isText === true) ? test : { not: test };
    }
    case 'ne':
      return { not: { field, op: 'eq', values: [readings(value)] } };
    case 'in':
      return { field, op: 'eq', values: listOf(field.name, value).map(readings) };
    case 'nin':
      return { not: { field, op: 'eq', values: listOf(field.name, value).map(readings) } };
    case 'all':
      return { field, op, values: listOf(field.name, value).map(readings) };
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      if (typeof value !== 'string') fail('bad_request', `${field.name}: ${op} takes text.`);
      return { field, op, values: [[value]] };
    case 'eq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const found = readings(value);
      const isComparable = (each: unknown): boolean => typeof each === 'string' || typeof each === 'number';
      const values = op === 'eq' ? found : found.filter(isComparable);
      if (values.length === 0) fail('bad_request', `${field.name}: ${op} takes a number or text.`);
      return { field, op, values: [values] };
    }
  }
}

/** What `exists` is given. @throws bad_request where that is neither true nor false */
export function isTrue(name: string, value: unknown, isText: boolean): boolean {
  if (value === true || (isText && value === 'true')) return true;
  if (value === false || (isText && value === 'false')) return false;
  fail('bad_request', `${name}: exists takes true or false.`);
}

/** The values that an operator takes a list of. @throws bad_request where it is none, or too long */
export function listOf(name: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) fail('bad_request', `${name}: the operator takes a list.`);
  return value;
}

const textInput = z.string('must be text');
const dateInput = z.iso.date('must be a calendar day, such as 2026-01-31');
const numberText = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;

/** What a value may stand for: one value of the field's type, or of each JSON type that a text reads as. */
function readingsOf({ name, kind }: ComparableField, value: unknown, isText: boolean): unknown[] {
  const wrong = (what: string): never => fail('bad_request', `${name}: ${shortened(value)} ${what}.`);
  const read = (schema: z.ZodType): unknown => {
    const result = schema.safeParse(value);
    return result.success ? result.data : wrong(result.error.issues[0]?.message ?? 'is not understood');
  };
  switch (kind) {
    case 'text':
    case 'list':
      return [read(textInput)];
    case 'number':
      return [isText ? (numberOf(value) ?? wrong('must be a number')) : read(z.number('must be a number'))];
    case 'boolean':
      return [isText ? (booleanOf(value) ?? wrong('must be true or false')) : read(z.boolean('must be true or false'))];
    case 'date':
      return [read(dateInput)];
    case 'time':
      return [(read(timeInput) as Date).toISOString()];
    case 'any':
      if (isText) return [value, numberOf(value), booleanOf(value)].filter((each) => each !== null);
      return hasFiniteNumbers(value) && value !== null ? [value] : wrong('is no value to compare with');
    case 'opaque':
      if (isText) return wrong('can be compared by where alone');
      return hasFiniteNumbers(value) && value !== null ? [value] : wrong('is no value to compare with');
  }
}

function shortened(value: unknown): string {
  return JSON.stringify(value).slice(0, 100);
}

/** The number that a text reads as, or null. */
function numberOf(value: unknown): number | null {
  if (typeof value !== 'string' || !numberText.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

function booleanOf(value: unknown): boolean | null {
  return value === 'true' ? true : value === 'false' ? false : null;
}
