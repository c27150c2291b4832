// The filter and the sort keys of a list, after src/inputs/ has checked them against the channel: every field exists,
// the caller may use it, and every value has the type of its field. filterSql.ts and orderSql.ts turn them into SQL.
import type { Channel } from '../generated/prisma/client.ts';
import type { EntryKey } from '../rules/names.ts';
import type { ComparableField } from './comparable.ts';

/** A condition on entries. An empty `and` is true for every entry, an empty `or` for none. */
export type Predicate =
  | { readonly and: readonly Predicate[] }
  | { readonly or: readonly Predicate[] }
  | { readonly not: Predicate }
  | FieldTest
  | ReferenceFilter
  | NameTest;

/** The operators in SQL. A negated operator is a `not` around one of these; `in` is an `eq` with several values. */
export type TestOperator =
  'eq' | 'all' | 'exists' | 'contains' | 'starts_with' | 'ends_with' | 'gt' | 'gte' | 'lt' | 'lte';

/** Compares the value of one field. */
export interface FieldTest {
  readonly field: ComparableField;
  readonly op: TestOperator;
  /**
   * The operands: `eq` matches any of them, `all` requires each, `exists` has none, other operators have exactly one.
   * Each operand is a list of readings, since a text in a URL may stand for a number or a string; any of them may
   * match.
   */
  readonly values: readonly (readonly unknown[])[];
}

/** True if a reference field leads to an entry that the viewer may see and that satisfies `target`. */
export interface ReferenceFilter {
  /** The name of the reference field. */
  readonly through: string;
  /** The channel that the field refers to. */
  readonly channel: Channel;
  readonly target: Predicate;
}

/** True for the one entry with this id, short id or slug. */
export interface NameTest {
  readonly named: EntryKey;
}

/** One key of a list's order. */
export interface SortKey {
  readonly field: ComparableField;
  readonly descending: boolean;
}
