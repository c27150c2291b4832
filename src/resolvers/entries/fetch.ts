// Fetches an entry by its id, short id or slug (docs/contract.md §5).
import type { EntryRow } from '../../entries/row.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import type { PreviewArguments } from '../../inputs/actor.ts';
import { assertSelection, parseSelection, type Selection, type SelectionArguments } from '../../inputs/selection.ts';
import { anyToken } from '../../rules/callers.ts';
import { entryKey, type EntryKey } from '../../rules/names.ts';
import { presentEntry, type PublicEntry } from '../../serializers/entry.ts';
import { findKnownTarget, isKnown } from '../knownChannels.ts';
import { findChannel, throwNoSuchChannel } from '../load.ts';
import type { EntryRead } from '../operation.ts';
import { embedReferences } from '../references/embed.ts';
import { throwNoSuchEntry } from './find.ts';

export interface FetchArguments extends SelectionArguments, PreviewArguments {
  readonly channel: string;
  readonly id: string;
  readonly useAcl?: boolean;
}

interface FetchInput extends Selection {
  readonly channel: string;
  /** null if the sent text has none of the forms that name an entry. */
  readonly key: EntryKey | null;
}

export interface FoundEntry {
  readonly channel: Channel;
  readonly row: EntryRow;
}

export const fetchEntry: EntryRead<{
  args: FetchArguments;
  input: FetchInput;
  loaded: FoundEntry;
  done: EntryRow;
  result: PublicEntry;
}> = {
  name: 'fetchEntry',
  callers: anyToken,
  mayReadReplicas: true,

  parse: (args) => ({ channel: args.channel, key: entryKey(args.id), ...parseSelection(args) }),

  load: async ({ channel: id, key, ...selection }, context) => {
    const channel = await findChannel(id, context);
    const row = key && (await context.services.db.entry.findVisible(channel, context.viewer, key));
    // A channel that does not exist to the caller must not reveal which of the named fields it has.
    if (row === null && !isKnown(channel, context.caller)) throwNoSuchChannel();
    if (selection.only !== null || (selection.include !== null && selection.include.size > 0)) {
      const { mayReadPrivateMembers } = context.viewer;
      await assertSelection(selection, channel, mayReadPrivateMembers, (field) => findKnownTarget(field, context));
    }
    if (row === null) throwNoSuchEntry();
    await context.admission.budget.takeRows(row.size);
    return { channel, row };
  },

  authorize: 'byPredicate',

  run: ({ row }) => Promise.resolve(row),

  present: async (row, { channel }, { include }, context) => {
    const entry = presentEntry(row, channel, context);
    if (include === null || entry.origin.targets.size === 0) return entry;
    const [whole] = await embedReferences([entry], include, context.admission.budget);
    return whole;
  },
};
