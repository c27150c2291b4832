// Finding the entry that a write is about, and deciding on the write.
import type { WriteContext } from '../../context.ts';
import type { EntryRow } from '../../entries/members.ts';
import { fail } from '../../errors.ts';
import { channelRules } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { maySee, mayWrite } from '../../rules/access.ts';
import type { EntryKey } from '../../rules/names.ts';
import { findChannel } from '../load.ts';
import type { OperationContext } from '../perform.ts';

/** An entry and its channel, as a write is decided on them. */
export interface StoredEntry {
  readonly channel: Channel;
  readonly before: EntryRow;
}

/** What a write names. */
export interface WriteTarget {
  readonly channel: string;
  /** null where no entry can have the name that was sent. */
  readonly key: EntryKey | null;
  /** The versions that the write is meant for; null: any. */
  readonly versions: readonly number[] | null;
}

/**
 * The entry that a write is about, whether or not the viewer may see it: `authorizeWrite` decides.
 * @throws not_found
 */
export async function findStoredEntry(
  { channel: id, key }: WriteTarget,
  context: WriteContext & { readonly attempt: number },
): Promise<StoredEntry> {
  const channel = await findChannel(id, context);
  const before = key && (await context.db.entry.findUnchecked(channel, key));
  return { channel, before: before ?? throwNoSuchEntry() };
}

/**
 * Lets a viewer write to an entry.
 * @throws not_found where it may not, and could not fetch the entry either; forbidden where it could;
 * precondition_failed where the entry has another version than the write is meant for
 */
export function authorizeWrite(
  action: 'update' | 'delete',
  { channel, before }: StoredEntry,
  { versions }: WriteTarget,
  { viewer }: OperationContext,
): void {
  const rules = channelRules(channel);
  if (!mayWrite(viewer.subject, action, rules.acl, before)) {
    if (!maySee(viewer, rules, before)) throwNoSuchEntry();
    fail('forbidden', `This caller may not ${action} the entry.`);
  }
  if (versions !== null && !versions.includes(before.version)) {
    fail('precondition_failed', 'The entry has another version.');
  }
}

/** The one answer for an entry that does not exist and for one that the viewer may not see. @throws not_found always */
export function throwNoSuchEntry(): never {
  fail('not_found', 'There is no such entry.');
}
