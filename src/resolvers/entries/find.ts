// Finds the entry of a write, and decides whether the caller may write it.
import type { EntryRow } from '../../entries/row.ts';
import { fail } from '../../base/errors.ts';
import { channelRules } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { allowsVersion, type Preconditions } from '../../inputs/preconditions.ts';
import { mayWriteIn, type WriteAction } from '../../rules/access.ts';
import type { EntryKey } from '../../rules/names.ts';
import { findChannel } from '../load.ts';
import { nameMissingRight, refuseForRight } from '../missingRight.ts';
import type { OperationContext } from '../operation.ts';
import { throwHidden } from './hidden.ts';
import { requireScopeToWrite } from '../scopes/entryScopes.ts';

/** An entry and its channel as they were read before a write. */
export interface StoredEntry {
  readonly channel: Channel;
  readonly before: EntryRow;
}

/** The entry of a write, and its condition. */
export interface WriteTarget extends Preconditions {
  readonly channel: string;
  /** null if the sent text has none of the forms that name an entry. */
  readonly key: EntryKey | null;
}

/**
 * Finds the entry that a write names, if the viewer may write it or see it: `authorizeWrite` decides between the two.
 * Hidden entries are not read, because their size would show in the time that the refusal takes.
 * @throws not_found if the channel or the entry does not exist, or the viewer may neither write nor see the entry
 */
export async function findStoredEntry(
  action: WriteAction,
  { channel: id, key }: WriteTarget,
  context: OperationContext,
): Promise<StoredEntry> {
  const channel = await findChannel(id, context);
  const before = key && (await context.services.db.entry.findForWrite(channel, context.viewer, action, key));
  return { channel, before: before ?? throwHidden(channel, context) };
}

/**
 * Checks that a viewer, and the scopes of its token, may update or delete an entry that `findStoredEntry` found for it, and that the entry
 * has an expected version.
 * @throws forbidden if the viewer may fetch the entry, but not write it; precondition_failed if the entry has none of the
 *   expected versions
 */
export function authorizeWrite(
  action: WriteAction,
  { channel, before }: StoredEntry,
  preconditions: WriteTarget,
  context: OperationContext,
): void {
  const { viewer, caller } = context;
  if (!mayWriteIn(viewer.subject, action, channelRules(channel), before)) {
    const missing = nameMissingRight(caller, action, channel, before);
    refuseForRight(caller, `This caller may not ${action} the entry.`, missing, channel);
  }
  requireScopeToWrite(action, channel, before, context);
  if (!allowsVersion(preconditions, before.version)) refuseVersion();
}

/** Refuses a request to an entry that has none of the versions that it expects. @throws precondition_failed always */
export function refuseVersion(): never {
  fail('precondition_failed', 'The entry does not have a version that the request expects: fetch it again.');
}
