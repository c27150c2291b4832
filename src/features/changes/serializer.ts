// Presents records of changes to a caller (docs/contract.md §9): an entry that becomes hidden from the caller is
// reported as removed, and one that it could see neither before nor after the change is not reported. No I/O.
import type { ChangeRecord } from '../../entries/feed/readChanges.ts';
import { followsAllChanges, type Audience, type Viewer } from '../../rules/callers.ts';
import type { PublicActor } from '../../serializers/actor.ts';
import type { PublicEntry } from '../../serializers/entry.ts';

/** The name of a change. */
export type ShownType =
  | `entry.${'created' | 'updated' | 'deleted' | 'published' | 'unpublished' | 'removed'}`
  | `channel.${'created' | 'updated' | 'deleted' | 'removed'}`;

/** A change as callers see it. */
export interface PublicChange {
  /** Opaque: the position after this change. */
  readonly cursor: string;
  readonly type: ShownType;
  /** In ISO 8601. */
  readonly at: string;
  /** The id of the channel. */
  readonly channel: string;
  /** The id of the entry; null for changes of channels. */
  readonly id: string | null;
  readonly version: number | null;
  /** Its author, null if none is stored; absent for readers who may not know it. */
  readonly actor?: PublicActor | null;
  /** The entry as the caller would fetch it now, null if a fetch would not find it. */
  readonly entry: () => Promise<PublicEntry | null>;
}

/** A page of changes. */
export interface ChangePage {
  readonly changes: readonly PublicChange[];
  /** The start of the next page. */
  readonly cursor: string;
  /** Makes a cursor of the same position, for another reader. */
  readonly renewCursor: () => string;
  /**
   * The same position in a text that is equal for all readers. It is never shown: to the public, equal cursors would
   * reveal that nothing happened.
   */
  readonly position: string;
  /** Whether there are more changes already. */
  readonly more: boolean;
}

/** The change of an entry's publication in a record. */
type PublicationChange = 'entry.published' | 'entry.unpublished';

/**
 * The names under which a record is shown to a follower, in their order: one record may begin or end a publication,
 * too.
 */
export function shownTypes(record: ChangeRecord, follower: Viewer): ShownType[] {
  if (followsAllChanges(follower)) return ofRecord(record, false, turnsOf(record));
  const { audience } = follower;
  return record.entryId === null ? shownOfChannel(record, audience) : shownOfEntry(record, audience);
}

function turnsOf({ publication }: ChangeRecord): PublicationChange[] {
  if (publication === null) return [];
  return [publication ? 'entry.published' : 'entry.unpublished'];
}

/** The name of a record. @param isNew whether a changed scope of its channel reveals the entry to the follower */
function ofRecord(
  { type }: ChangeRecord,
  isNew: boolean,
  publicationChanges: readonly PublicationChange[],
): ShownType[] {
  if (type === 'entry.sight') return isNew ? ['entry.updated', ...publicationChanges] : [...publicationChanges];
  // A publication ends before its entry is deleted.
  return type === 'entry.deleted' ? [...publicationChanges, type] : [type, ...publicationChanges];
}

/** Changes of channels are shown to viewers who may read their settings. */
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
  // To the public, an entry that publication reveals is published.
  if (type === 'entry.sight') return isNew ? [publication === true ? 'entry.published' : 'entry.updated'] : [];
  return ofRecord(record, false, publication === true ? ['entry.published'] : []);
}

/** Writes a change in REST's JSON. @param entry the entry's JSON, if it was requested */
export function restChange(change: PublicChange, entry?: string): string {
  const { cursor, type, at, channel, id, version, actor } = change;
  const members = JSON.stringify({ cursor, type, at, channel, id, version, actor });
  return entry === undefined ? members : `${members.slice(0, -1)},"entry":${entry}}`;
}
