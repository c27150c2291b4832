// Filters as callers write them, made one: GraphQL's EntryFilter, REST's `where` and its parameters become conditions on
// named fields. What the names and values mean in a channel is comparison.ts's to find out.
import { fail } from '../errors.ts';
import type { EntryFilter } from '../generated/graphql/types.ts';
import type { enums } from '../enums.ts';
import { isObject } from './json.ts';

export type Operator = (typeof enums.FilterOp)[keyof typeof enums.FilterOp];

/** A condition on entries. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | Comparison;

/** A field held against a value. */
export interface Comparison {
  readonly field: string;
  readonly op: Operator;
  readonly value: unknown;
  /** Whether the value is text that is to be read by the field's type, as REST's parameters are. */
  readonly isText?: true;
}

/** Every entry passes. */
export const everything: Condition = { all: [] };

const operators: ReadonlySet<string> = new Set<Operator>([
  ...(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'exists'] as const),
  ...(['contains', 'starts_with', 'ends_with', 'all'] as const),
]);

/** Whether a word is an operator. */
export function isOperator(word: string): word is Operator {
  return operators.has(word);
}

/** How deep conditions nest, and how many comparisons and values they hold in all, at most. */
const deepest = 20;
const mostComparisons = 200;
const mostValues = 1_000;

/**
 * The condition of GraphQL's `where`.
 * @throws bad_request where a comparison lacks its field or value, or there are too many
 */
export function fromGraphql(filter: EntryFilter | null | undefined): Condition {
  return filter ? bounded(ofFilter(filter, 0)) : everything;
}

function ofFilter({ and, or, not, field, op, value }: EntryFilter, depth: number): Condition {
  checkDepth(depth);
  const parts: Condition[] = [];
  if (and) parts.push({ all: and.map((each) => ofFilter(each, depth + 1)) });
  if (or) parts.push({ any: or.map((each) => ofFilter(each, depth + 1)) });
  if (not) parts.push({ not: ofFilter(not, depth + 1) });
  if (typeof field === 'string') parts.push(comparison(field, op ?? 'eq', value));
  else if (value !== undefined && value !== null) fail('bad_request', 'where: a value stands without its field.');
  return one(parts);
}

/**
 * The condition of REST's `where`.
 * @throws bad_request where it is no JSON object of fields, `and`, `or` and `not`
 */
export function fromWhere(text: string): Condition {
  let where: unknown;
  try {
    where = JSON.parse(text);
  } catch {
    fail('bad_request', 'where is not JSON.');
  }
  return bounded(ofWhere(where, 0));
}

function ofWhere(where: unknown, depth: number): Condition {
  checkDepth(depth);
  if (!isObject(where)) fail('bad_request', 'where is a JSON object of fields, "and", "or" and "not".');
  return one(Object.entries(where).map(([name, value]) => ofMember(name, value, depth + 1)));
}

function ofMember(name: string, value: unknown, depth: number): Condition {
  if (name === 'not') return { not: ofWhere(value, depth) };
  if (name === 'and' || name === 'or') {
    if (!Array.isArray(value)) fail('bad_request', `where: ${name} takes a list.`);
    const conditions = value.map((each: unknown) => ofWhere(each, depth));
    return name === 'and' ? { all: conditions } : { any: conditions };
  }
  if (!isObject(value)) return comparison(name, 'eq', value);
  return one(
    Object.entries(value).map(([op, operand]) => {
      if (!isOperator(op)) fail('bad_request', `where: ${JSON.stringify(op)} is no operator.`);
      return comparison(name, op, operand);
    }),
  );
}

function comparison(field: string, op: Operator, value: unknown): Comparison {
  if (value === undefined || value === null) {
    fail('bad_request', `where: ${field}: the value is missing or null; whether there is one is asked by exists.`);
  }
  return { field, op, value };
}

function checkDepth(depth: number): void {
  if (depth > deepest) fail('bad_request', `where nests deeper than ${deepest} levels.`);
}

/** Conditions that all have to hold, as one. */
export function one(conditions: readonly Condition[]): Condition {
  const [first] = conditions;
  return conditions.length === 1 && first !== undefined ? first : { all: conditions };
}

/** @throws bad_request where a condition holds more comparisons, or more values, than a list is made for */
export function bounded(condition: Condition): Condition {
  const comparisons = comparisonsIn(condition);
  if (comparisons.length > mostComparisons) {
    fail('bad_request', `The filter holds more than ${mostComparisons} comparisons.`);
  }
  const values = comparisons.reduce((sum, { value }) => sum + (Array.isArray(value) ? value.length : 1), 0);
  if (values > mostValues) fail('bad_request', `The filter holds more than ${mostValues} values.`);
  return condition;
}

/** All comparisons of a condition. */
export function comparisonsIn(condition: Condition): Comparison[] {
  if ('not' in condition) return comparisonsIn(condition.not);
  const parts = 'all' in condition ? condition.all : 'any' in condition ? condition.any : null;
  return parts === null ? [condition as Comparison] : parts.flatMap(comparisonsIn);
}
