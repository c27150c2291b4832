// The operators of comparisons, by the type of the field that they compare (docs/contract.md §5.13).
import type { ComparisonKind } from '../../fields/shape.ts';
import type { Operator } from './filter.ts';

const equalities: readonly Operator[] = ['eq', 'ne', 'in', 'nin', 'exists'];
export const ranges: readonly Operator[] = ['gt', 'gte', 'lt', 'lte'];
export const searches: readonly Operator[] = ['contains', 'starts_with', 'ends_with'];

/** The operators that fit each kind of value. */
export const operatorsByKind: Record<ComparisonKind, readonly Operator[]> = {
  text: [...equalities, ...ranges, ...searches],
  number: [...equalities, ...ranges],
  date: [...equalities, ...ranges],
  time: [...equalities, ...ranges],
  boolean: equalities,
  list: [...equalities, 'all'],
  any: [...equalities, ...ranges, ...searches, 'all'],
  opaque: equalities,
};

/** The operators that fit a reference. */
export const operatorsOfReferences: readonly Operator[] = [...equalities, 'all'];
