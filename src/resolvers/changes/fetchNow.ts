// Finds the entry of a change as its viewer would fetch it now (docs/contract.md §9).
import type { ChangeRecord } from '../../entries/readChanges.ts';
import type { Include } from '../../inputs/selection.ts';
import { presentEntry, type PublicEntry } from '../../serializers/entry.ts';
import type { OperationContext } from '../perform.ts';
import { embedReferences } from '../references/embed.ts';

/** What names the entry of a change. An entry never changes its channel, so that the channel's `uid` may be left out. */
type ChangedEntry = Pick<ChangeRecord, 'channel' | 'entryId'> & { readonly channelUid?: string };

/** The entry of a change as its viewer would fetch it now; null where it would not be found. */
export async function fetchNow(
  { channel: id, channelUid, entryId }: ChangedEntry,
  include: Include | null,
  context: OperationContext,
): Promise<PublicEntry | null> {
  if (entryId === null) return null;
  const channel = await context.references.findTarget({ channel: id });
  if (channel === null || (channelUid !== undefined && channel.uid !== channelUid)) return null;
  const [row] = await context.references.load(channel, { ids: [entryId], whole: true });
  if (row === undefined) return null;
  const [entry] = await embedReferences([presentEntry(row, channel, context)], include, context.budget);
  return entry;
}
