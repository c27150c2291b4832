// Parses filters: GraphQL's EntryFilter, REST's `where` and REST's parameters all become a Condition on named fields.
// comparison.ts then resolves the names and values against a channel.
import type { Limits } from '../../config/config.ts';
import { fail } from '../../base/errors.ts';
import type { EntryFilter } from '../../generated/graphql/types.ts';
import type { enums } from '../../base/enums.ts';
import { didYouMean, nearestName } from '../../base/nearestName.ts';
import { assertStorable, isObject, parseJson } from '../json.ts';
import { countJson } from '../jsonText.ts';

export type Operator = (typeof enums.FilterOp)[keyof typeof enums.FilterOp];

/** An unresolved condition on entries. An empty `and` is true of every entry. */
export type Condition =
  | { readonly and: readonly Condition[] }
  | { readonly or: readonly Condition[] }
  | { readonly not: Condition }
  | Comparison;

/** Compares a field with a value. */
export interface Comparison {
  readonly field: string;
  readonly op: Operator;
  readonly value: unknown;
  /** Set if the value is a text of a URL, to be read by the field's type. */
  readonly isText?: boolean;
}

/** The condition that every entry satisfies. */
const everything: Condition = { and: [] };

const knownOperators: ReadonlySet<string> = new Set<Operator>([
  ...(['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'exists'] as const),
  ...(['contains', 'starts_with', 'ends_with', 'all'] as const),
]);

/** Whether a word is an operator. */
export function isOperator(word: string): word is Operator {
  return knownOperators.has(word);
}

/** Limits of one filter: nesting depth, and comparisons and values in total. */
const maxDepth = 20;
const maxComparisons = 200;
const maxValues = 1_000;

/**
 * Parses GraphQL's `where`. An absent one matches every entry.
 * @throws bad_request if a comparison lacks its field or value, or there are too many
 */
export function parseGraphqlFilter(filter: EntryFilter | null | undefined): Condition {
  return filter ? assertBounded(parseFilter(filter, 0)) : everything;
}

function parseFilter({ and, or, not, field, op, value }: EntryFilter, depth: number): Condition {
  checkDepth(depth);
  const conditions: Condition[] = [];
  if (and) conditions.push({ and: and.map((each) => parseFilter(each, depth + 1)) });
  if (or) conditions.push({ or: or.map((each) => parseFilter(each, depth + 1)) });
  if (not) conditions.push({ not: parseFilter(not, depth + 1) });
  if (typeof field === 'string') conditions.push(readComparison(field, op ?? 'eq', value));
  else if (value !== undefined && value !== null) fail('bad_request', 'where: `value` is sent without `field`.');
  return joinAnd(conditions);
}

/**
 * Parses REST's `where`.
 * @param limits of the JSON: depth and size
 * @throws bad_request if it is not a JSON object of fields, `and`, `or` and `not`, or exceeds a limit
 */
export function parseWhere(text: string, limits: Limits['json']): Condition {
  countJson(Buffer.from(text), limits, '`where`');
  let where: unknown;
  try {
    where = parseJson(text);
  } catch {
    fail('bad_request', '`where` must be JSON.');
  }
  // The arguments were checked with this as a plain text: its parsed content is checked here.
  assertStorable({ where }, limits);
  return assertBounded(parseWhereObject(where, 0));
}

function parseWhereObject(where: unknown, depth: number): Condition {
  checkDepth(depth);
  if (!isObject(where)) fail('bad_request', '`where` must be a JSON object of fields, "and", "or" and "not".');
  return joinAnd(Object.entries(where).map(([name, value]) => parseMember(name, value, depth + 1)));
}

function parseMember(name: string, value: unknown, depth: number): Condition {
  if (name === 'not') return { not: parseWhereObject(value, depth) };
  if (name === 'and' || name === 'or') {
    if (!Array.isArray(value)) fail('bad_request', `where: ${name} must be a list.`);
    const conditions = value.map((each: unknown) => parseWhereObject(each, depth));
    return name === 'and' ? { and: conditions } : { or: conditions };
  }
  if (!isObject(value)) return readComparison(name, 'eq', value);
  return joinAnd(
    Object.entries(value).map(([op, operand]) => {
      if (isOperator(op)) return readComparison(name, op, operand);
      const hint = didYouMean(nearestName(op, knownOperators));
      const all = [...knownOperators].join(', ');
      const problem = `${JSON.stringify(op)} is no operator of ${JSON.stringify(name)}; there are ${all}`;
      fail('bad_request', `where: ${problem}${hint}`);
    }),
  );
}

function readComparison(field: string, op: Operator, value: unknown): Comparison {
  if (value === undefined || value === null) {
    fail('bad_request', `where: ${field}: the value is missing or null; use \`exists\` to ask whether there is one.`);
  }
  return { field, op, value };
}

function checkDepth(depth: number): void {
  if (depth > maxDepth) fail('bad_request', `\`where\` nests deeper than ${maxDepth} levels.`);
}

/** Conditions joined by AND. */
export function joinAnd(conditions: readonly Condition[]): Condition {
  const [first] = conditions;
  return conditions.length === 1 && first !== undefined ? first : { and: conditions };
}

/**
 * Checks that a condition is small enough for a list, and returns it.
 * @throws bad_request if it holds more comparisons, or more values, than one filter may
 */
export function assertBounded(condition: Condition): Condition {
  const comparisons = comparisonsIn(condition);
  if (comparisons.length > maxComparisons) {
    fail('bad_request', `The filter holds more than ${maxComparisons} comparisons.`);
  }
  const values = comparisons.reduce((sum, { value }) => sum + (Array.isArray(value) ? value.length : 1), 0);
  if (values > maxValues) fail('bad_request', `The filter holds more than ${maxValues} values.`);
  return condition;
}

/** Lists all comparisons of a condition. */
export function comparisonsIn(condition: Condition): Comparison[] {
  if ('not' in condition) return comparisonsIn(condition.not);
  const operands = 'and' in condition ? condition.and : 'or' in condition ? condition.or : null;
  return operands === null ? [condition as Comparison] : operands.flatMap(comparisonsIn);
}
