// Fetches the entry of a change with the current access of its viewer (docs/contract.md §9).
import type { ChangeRecord } from '../../entries/feed/readChanges.ts';
import type { Include } from '../../inputs/selection.ts';
import { presentEntry, type PublicEntry } from '../../serializers/entry.ts';
import type { OperationContext } from '../../resolvers/operation.ts';
import type { FoundEntry } from '../../resolvers/entries/fetch.ts';
import { embedReferences } from '../../resolvers/references/embed.ts';

/** Identifies the entry of a change. An entry never changes its channel, so that the channel's `uid` is optional. */
type ChangedEntry = Pick<ChangeRecord, 'channel' | 'entryId'> & { readonly channelUid?: string };

/**
 * Fetches the entry of a change with the viewer's current access; null if a fetch would not find it.
 * @param wasSeen whether the viewer saw it after the change: then only a channel from the database can prove that it no
 * longer does. The cached one may be older than the change, and no later change would mention the entry
 */
export async function fetchNow(
  changed: ChangedEntry,
  wasSeen: boolean,
  include: Include | null,
  context: OperationContext,
): Promise<PublicEntry | null> {
  const found =
    (await find(changed, 'findTarget', context)) ?? (wasSeen ? await find(changed, 'findTargetNow', context) : null);
  if (found === null) return null;
  const [entry] = await embedReferences(
    [presentEntry(found.row, found.channel, context)],
    include,
    context.admission.budget,
  );
  return entry;
}

async function find(
  { channel: id, channelUid, entryId }: ChangedEntry,
  findChannel: 'findTarget' | 'findTargetNow',
  { references }: OperationContext,
): Promise<FoundEntry | null> {
  if (entryId === null) return null;
  const channel = await references[findChannel]({ channel: id });
  if (channel === null || (channelUid !== undefined && channel.uid !== channelUid)) return null;
  const [row] = await references.load(channel, { ids: [entryId], whole: true });
  return row === undefined ? null : { channel, row };
}
