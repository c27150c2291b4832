// The values that a write stores for an entry, and the outcomes of a write.
import type { IndexedValue, Values } from '../fields/stored.ts';
import type { Authorship } from '../rules/author.ts';
import type { SearchedText } from '../search/text.ts';
import type { SettableMember } from './members.ts';
import type { EntryRow } from './row.ts';

/** The values that a write sets. */
export interface EntryValues extends Readonly<Pick<EntryRow, SettableMember>> {
  readonly data: Values;
  readonly kept: Values;
  /** The title field's value as text. The first 1,000 characters are stored in a column of their own, for sorting. */
  readonly title: string | null;
  /** The rows of the side table. */
  readonly indexed: readonly IndexedValue[];
  /** The words for full-text search. */
  readonly searched: SearchedText;
}

/** The times of an entry's creation and last change. */
export interface EntryTimes {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A new entry, ready to be stored. */
export interface EntryDraft {
  readonly id: string;
  readonly shortId: string;
  /** The times of an entry that is moved or imported; absent or null for the time of the write. */
  readonly times?: EntryTimes | null;
  /** The version of an entry that is moved or imported; absent for 1. */
  readonly version?: number;
  readonly values: EntryValues;
}

/** A new entry with its author and the time of the write, which is its creation time unless the draft has another. */
export interface AuthoredDraft extends Authorship {
  readonly draft: EntryDraft;
}

/**
 * The outcome of a write: the new row, or the reason that nothing was written. `stale`: the channel or the entry has
 * another version than the one decided on. `duplicate`: another entry has the slug or the short id, or has just claimed
 * a unique value. TakenValues: other entries had the unique values already.
 */
export type Written = EntryRow | 'stale' | 'duplicate' | TakenValues;

/** The unique fields whose values other entries have. */
export interface TakenValues {
  readonly taken: readonly string[];
}
