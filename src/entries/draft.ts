// What a write stores of an entry.
import type { IndexedValue, Values } from '../fields/stored.ts';
import type { SearchedText } from '../search/text.ts';
import type { SettableMember } from './members.ts';
import type { EntryRow } from './row.ts';

/** What a write sets. */
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

/** When an entry was created, and when it was last changed. */
export interface EntryTimes {
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A new entry, ready to be stored. */
export interface EntryDraft {
  readonly id: string;
  readonly shortId: string;
  /** The times that it keeps from where it was before; absent or null: those of the write. */
  readonly times?: EntryTimes | null;
  /** The version that it keeps from where it was before; absent: 1. */
  readonly version?: number;
  readonly values: EntryValues;
}
