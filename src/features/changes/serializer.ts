// Presents records of changes as a caller sees them (docs/contract.md §9): an entry that goes out of the caller's sight is removed,
// and one that it could see neither before nor after the change is not mentioned. No I/O.
import type { ChangeRecord } from '../../entries/feed/readChanges.ts';
import { followsAllChanges, type Audience, type Viewer } from '../../rules/callers.ts';
import type { PublicEntry } from '../../serializers/entry.ts';

/** What a change is called. */
export type ShownType =
  | `entry.${'created' | 'updated' | 'deleted' | 'published' | 'unpublished' | 'removed'}`
  | `channel.${'created' | 'updated' | 'deleted' | 'removed'}`;

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
  /** Makes a cursor of the same place, for another reader. */
  readonly renewCursor: () => string;
  /** The same place in a text that is equal for all readers. It is never shown: to the public, equal cursors would tell. */
  readonly place: string;
  /** Whether more changes follow already. */
  readonly more: boolean;
}

/** What a record says of the publication of its entry. */
type Turn = 'entry.published' | 'entry.unpublished';

/** The names under which a follower is told of a record, in their order: one record may begin or end a publication, too. */
export function shownTypes(record: ChangeRecord, follower: Viewer): ShownType[] {
  if (followsAllChanges(follower)) return ofRecord(record, false, turnsOf(record));
  const { audience } = follower;
  return record.entryId === null ? shownOfChannel(record, audience) : shownOfEntry(record, audience);
}

function turnsOf({ publication }: ChangeRecord): Turn[] {
  if (publication === null) return [];
  return [publication ? 'entry.published' : 'entry.unpublished'];
}

/** What a record is called. @param isNew whether a changed sight of its channel shows the entry to the follower */
function ofRecord({ type }: ChangeRecord, isNew: boolean, turns: readonly Turn[]): ShownType[] {
  if (type === 'entry.sight') return isNew ? ['entry.updated', ...turns] : [...turns];
  // An entry ends to be seen before it ends.
  return type === 'entry.deleted' ? [...turns, type] : [type, ...turns];
}

/** Who reads the settings of channels is told of their changes. */
function shownOfChannel({ type, sawBefore }: ChangeRecord, audience: Audience): ShownType[] {
  if (type === 'entry.sight') return [];
  if (audience === 'management') return [type];
  return type === 'channel.deleted' && sawBefore === true ? ['channel.removed'] : [];
}

function shownOfEntry(record: ChangeRecord, audience: Audience): ShownType[] {
  const { type, publication, sawBefore, seesAfter, isUnsure } = record;
  const isManagement = audience === 'management';
  if (seesAfter !== true) {
    if (sawBefore !== true) return [];
    return isManagement && type === 'entry.deleted' ? ofRecord(record, false, turnsOf(record)) : ['entry.removed'];
  }
  const isNew = type === 'entry.sight' && (sawBefore !== true || isUnsure);
  if (isManagement) return ofRecord(record, isNew, turnsOf(record));
  // The public sees an entry as long as it is published: what shows it by publishing is its publication.
  if (type === 'entry.sight') return isNew ? [publication === true ? 'entry.published' : 'entry.updated'] : [];
  return ofRecord(record, false, publication === true ? ['entry.published'] : []);
}

/** A change as REST writes it. @param entry the entry's JSON, if it was asked for */
export function restChange({ cursor, type, at, channel, id, version }: PublicChange, entry?: string): string {
  const members = JSON.stringify({ cursor, type, at, channel, id, version });
  return entry === undefined ? members : `${members.slice(0, -1)},"entry":${entry}}`;
}
