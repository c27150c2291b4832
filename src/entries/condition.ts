// What a list is filtered and sorted by, once src/inputs/ has checked it against the channel: every field exists and may be
// compared by, every value has the type of its field. filterSql.ts and orderSql.ts turn it into SQL.
import type { Channel } from '../generated/prisma/client.ts';
import type { EntryKey } from '../rules/names.ts';
import type { ComparableField } from './comparable.ts';

/** A condition on entries. An empty `and` is true of every entry, an empty `or` of none. */
export type Predicate =
  | { readonly and: readonly Predicate[] }
  | { readonly or: readonly Predicate[] }
  | { readonly not: Predicate }
  | FieldTest
  | ReferenceFilter
  | NameTest;

/** The operators that reach the database. Negated ones are a `not` around one of these, `in` is an `eq` of several values. */
export type TestOperator =
  'eq' | 'all' | 'exists' | 'contains' | 'starts_with' | 'ends_with' | 'gt' | 'gte' | 'lt' | 'lte';

/** Compares the value of one field. */
export interface FieldTest {
  readonly field: ComparableField;
  readonly op: TestOperator;
  /**
   * The operands: `eq` matches any of them, `all` needs every one, `exists` has none, other operators have exactly one.
   * Each is a list of typed readings (the text of a URL may be a number or a string); any of them may match.
   */
  readonly values: readonly (readonly unknown[])[];
}

/** True where a reference field leads to an entry that the viewer may see and that satisfies `target`. */
export interface ReferenceFilter {
  /** The name of the reference field. */
  readonly through: string;
  /** The channel that the field refers to. */
  readonly channel: Channel;
  readonly target: Predicate;
}

/** True of the one entry with this id, short id or slug. */
export interface NameTest {
  readonly named: EntryKey;
}

/** One key of a list's order. */
export interface SortKey {
  readonly field: ComparableField;
  readonly descending: boolean;
}
