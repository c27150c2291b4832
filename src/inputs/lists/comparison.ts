// Resolves a filter against a channel: each name becomes a field that the caller may compare by or a reference to
// follow, each value is converted to the field's type (docs/contract.md §5).
import { comparableField, type ComparableField } from '../../entries/comparable.ts';
import type { FieldTest, Predicate } from '../../entries/condition.ts';
import { fail } from '../../base/errors.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { didYouMean, nearestName } from '../../base/nearestName.ts';
import { entryKey } from '../../rules/names.ts';
import { comparisonsIn, type Comparison, type Condition, type Operator } from './filter.ts';
import { isObject } from '../json.ts';
import { fieldNames, restName } from './fieldNames.ts';
import { lookAlikes } from './listParameters.ts';
import { operatorsByKind, operatorsOfReferences } from './operators.ts';
import { readExists, readOperand, readOperandList, readOption, textReadings } from './operand.ts';
import { explainOperator, hasBracketedOperator } from './wrongOperator.ts';

const matchesNone: Predicate = { or: [] };
const matchesAll: Predicate = { and: [] };

/** The dependencies of resolving a filter, besides the channel. */
export interface FilterScope {
  /**
   * Whether the caller may read `_owner` and `_acl` of every entry: members that cannot be read must not be probed
   * either.
   */
  readonly mayReadPrivate: boolean;
  /** Whether fixed members may have their names of GraphQL. */
  readonly isGraphql: boolean;
  /** The channels that reference fields lead to, by the fields' names; null for a channel that was deleted. */
  readonly targets: ReadonlyMap<string, Channel | null>;
  /** The reference field that leads to the channel, with a dot; empty for the list's own channel. */
  readonly path: string;
  /** Other names that the URL accepts where a field's name stands, for messages. */
  readonly others: { readonly what: string; readonly names: readonly string[] };
}

/**
 * Resolves a condition in a channel.
 * @throws bad_request if the channel does not have a field, an operator does not fit the field's type, a value is not
 * of that type, or a comparison reaches through more than one reference
 */
export function resolveFilter(condition: Condition, channel: Channel, scope: FilterScope): Predicate {
  const resolve = (operand: Condition): Predicate => resolveFilter(operand, channel, scope);
  if ('and' in condition) return { and: condition.and.map(resolve) };
  if ('or' in condition) return { or: condition.or.map(resolve) };
  if ('not' in condition) return { not: resolve(condition.not) };
  const [name = ''] = condition.field.split('.', 1);
  if (compiledFields(channel).references.has(name)) return resolveReferenceFilter(condition, name, channel, scope);
  return resolveComparison(condition, channel, scope);
}

/** The names of the reference fields that a condition compares by, or reaches through. */
export function referenceFieldsIn(condition: Condition, channel: Pick<Channel, 'fields'>): Set<string> {
  const references = compiledFields(channel).references;
  const names = comparisonsIn(condition).map(({ field }) => field.split('.', 1)[0] ?? '');
  return new Set(names.filter((name) => references.has(name)));
}

function resolveComparison(comparison: Comparison, channel: Channel, scope: FilterScope): Predicate {
  const { op, value, isText = false } = comparison;
  const name = scope.isGraphql ? restName(comparison.field, channel) : comparison.field;
  if (isText && scope.path === '') refuseLookAlike(name, channel);
  const field = comparableField(name, channel, scope.mayReadPrivate);
  if (field === null) rejectField(comparison, channel, scope);
  const operators = operatorsByKind[field.kind];
  if (!operators.includes(op)) rejectOperator(name, op, operators);
  const readings = (operand: unknown): unknown[] => readOperand(field, operand, isText);
  const equal = (operand: unknown): unknown[] => readOption(field, readings(operand));
  switch (op) {
    case 'exists': {
      const test: FieldTest = { field, op, values: [] };
      return readExists(name, value, isText) ? test : { not: test };
    }
    case 'eq':
      return { field, op, values: [equal(value)] };
    case 'ne':
      return { not: { field, op: 'eq', values: [equal(value)] } };
    case 'in':
      return { field, op: 'eq', values: readOperandList(name, value).map(equal) };
    case 'nin':
      return { not: { field, op: 'eq', values: readOperandList(name, value).map(equal) } };
    case 'all':
      return { field, op, values: readOperandList(name, value).map(equal) };
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      if (typeof value !== 'string') fail('bad_request', `${name}: \`${op}\` takes text.`);
      return { field, op, values: [textReadings(value, field.isNormalized)] };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { field, op, values: [ordered(field, op, readings(value)).slice(0, field.isNormalized ? 1 : undefined)] };
  }
}

/**
 * Refuses a parameter of other services that has another spelling here: a channel that takes any field would compare it
 * with a field that no entry has.
 */
function refuseLookAlike(name: string, channel: Channel): void {
  const { isFree, byName: declared } = compiledFields(channel);
  // If fields are declared, the refusal of the name lists their operators.
  const isBracketed = isFree && hasBracketedOperator(name);
  const suggestion = isBracketed ? name.replace('[', '.').replace(']', '') : lookAlikes.get(name);
  if (suggestion === undefined || declared.has(name)) return;
  fail(
    'bad_request',
    `${JSON.stringify(name)} is not a parameter here; did you mean ${JSON.stringify(suggestion)}? ` +
      'A field of this name can be compared in `where`.',
  );
}

/** The readings of an operand that have an order. @throws bad_request if none has */
function ordered({ name }: ComparableField, op: Operator, readings: readonly unknown[]): unknown[] {
  const comparable = readings.filter((reading) => typeof reading === 'string' || typeof reading === 'number');
  return comparable.length > 0 ? comparable : fail('bad_request', `${name}: \`${op}\` takes a number or text.`);
}

/**
 * Resolves a comparison by a reference (`author=ada`), or by a field of its entry (`author.name=Ada`). Only entries
 * that the caller may see are compared: a hidden one counts as absent, also under negations, so that nothing about it
 * leaks.
 * @param name of the reference field
 */
function resolveReferenceFilter(comparison: Comparison, name: string, channel: Channel, scope: FilterScope): Predicate {
  const { field } = comparison;
  const target = scope.targets.get(name) ?? null;
  if (field === name) return compareReference(comparison, target);
  // The target channel was deleted: there is nothing to compare, and any name is accepted for one of its fields.
  const reached = target ?? { ...channel, fields: [] };
  const inner = { ...comparison, field: field.slice(name.length + 1) };
  if (referenceFieldsIn(inner, reached).size > 0) {
    fail('bad_request', `${field}: a filter can reach through one reference, not through two.`);
  }
  const others = { what: 'an operator', names: operatorsOfReferences };
  const reachedScope = { ...scope, targets: new Map<string, never>(), path: `${name}.`, others };
  return throughReference(name, target, resolveFilter(inner, reached, reachedScope));
}

/** Moves NOT out of the reference, so that an entry without the reference satisfies a negated comparison. */
function throughReference(through: string, channel: Channel | null, target: Predicate): Predicate {
  if ('not' in target) return { not: throughReference(through, channel, target.not) };
  return channel === null ? matchesNone : { through, channel, target };
}

/** Compares a reference with entries, each named by its id, short id, slug or stub. */
function compareReference({ field, op, value, isText = false }: Comparison, target: Channel | null): Predicate {
  const leadsTo = (predicate: Predicate): Predicate => throughReference(field, target, predicate);
  const nameTest = (operand: unknown): Predicate => readNameTest(field, operand);
  // Tests several names in one pass over the field's references.
  const anyOf = (): Predicate => leadsTo({ or: readOperandList(field, value).map(nameTest) });
  switch (op) {
    case 'eq':
      return leadsTo(nameTest(value));
    case 'ne':
      return { not: leadsTo(nameTest(value)) };
    case 'in':
      return anyOf();
    case 'nin':
      return { not: anyOf() };
    case 'all':
      return { and: [matchesAll, ...readOperandList(field, value).map(nameTest)].map(leadsTo) };
    case 'exists':
      return readExists(field, value, isText) ? leadsTo(matchesAll) : { not: leadsTo(matchesAll) };
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      rejectOperator(field, op, operatorsOfReferences);
  }
}

/** @throws bad_request if the operand is neither a text nor a stub */
function readNameTest(field: string, operand: unknown): Predicate {
  const name = isObject(operand) ? operand['id'] : operand;
  if (typeof name !== 'string') fail('bad_request', `${field}: name an entry by its id, short id or slug.`);
  const key = entryKey(name);
  return key === null ? matchesNone : { named: key };
}

/** Refuses a comparison by a name that is not a field's. Only names that the caller may know are suggested. */
function rejectField({ field, isText = false }: Comparison, channel: Channel, scope: FilterScope): never {
  const { mayReadPrivate, isGraphql, path, others } = scope;
  const notation = isText ? 'url' : isGraphql ? 'graphql' : 'where';
  const wrong = explainOperator(field, { channel, mayReadPrivate, notation, path });
  if (wrong !== null) fail('bad_request', wrong);
  const isOther = isText && others.names.length > 0;
  const suggestions = [...fieldNames(channel, mayReadPrivate), ...(isOther ? others.names : [])];
  const nearest = nearestName(field, suggestions);
  const problem = isOther ? `is neither ${others.what} nor a field` : 'is not a field';
  const hint = didYouMean(nearest === null ? null : path + nearest);
  fail('bad_request', `${JSON.stringify(path + field)} ${problem} of the channel's entries${hint}`);
}

function rejectOperator(field: string, op: Operator, fitting: readonly Operator[]): never {
  fail(
    'bad_request',
    `${field}: the operator \`${op}\` does not fit the field's type, which takes ${fitting.join(', ')}.`,
  );
}
