// Presents records of changes as a caller sees them (docs/contract.md §9): an entry that goes out of the caller's sight is removed,
// and one that it could see neither before nor after the change is not mentioned. No I/O.
import type { ChangeRecord } from '../entries/readChanges.ts';
import type { PublicEntry } from './entry.ts';

/** What a change is called. */
export type ShownType =
  | `entry.${'created' | 'updated' | 'deleted' | 'published' | 'unpublished' | 'removed'}`
  | `channel.${'created' | 'updated' | 'deleted'}`;

/** A change as callers see it. */
export interface PublicChange {
  /** Opaque: what follows this change. */
  readonly cursor: string;
  readonly type: ShownType;
  /** In ISO 8601. */
  readonly at: string;
  /** The id of the channel. */
  readonly channel: string;
  /** The id of the entry; null for changes of channels. */
  readonly id: string | null;
  readonly version: number | null;
  /** The entry as the caller would fetch it now, null where it would not be found. */
  readonly entry: () => Promise<PublicEntry | null>;
}

/** A page of changes. */
export interface ChangePage {
  readonly changes: readonly PublicChange[];
  /** Where the next page begins. */
  readonly cursor: string;
  /** Whether more changes follow already. */
  readonly more: boolean;
}

/** The names under which a caller sees a record, in their order: one record may begin or end a publication, too. */
export function shownTypes({ type, publication, sawBefore, seesAfter, isUnsure }: ChangeRecord): ShownType[] {
  const begins = publication === true ? (['entry.published'] as const) : [];
  const ends = publication === false ? (['entry.unpublished'] as const) : [];
  if (sawBefore === null || seesAfter === null) {
    if (type === 'entry.sight') return [...begins, ...ends];
    // An entry ends to be seen before it ends.
    return type === 'entry.deleted' ? [...ends, type] : [type, ...begins, ...ends];
  }
  if (!seesAfter) return sawBefore ? ['entry.removed'] : [];
  if (type === 'entry.sight') {
    if (sawBefore && !isUnsure) return [];
    return publication === true ? ['entry.published'] : ['entry.updated'];
  }
  return [type, ...begins];
}

/** A change as REST writes it. @param entry the entry's JSON, if it was asked for */
export function restChange({ cursor, type, at, channel, id, version }: PublicChange, entry?: string): string {
  const members = JSON.stringify({ cursor, type, at, channel, id, version });
  return entry === undefined ? members : `${members.slice(0, -1)},"entry":${entry}}`;
}
