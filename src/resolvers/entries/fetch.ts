// Fetches an entry by its id, short id or slug (docs/contract.md §5).
import { andThen, isPromise } from '../../base/promiseOrValue.ts';
import type { EntryRow } from '../../entries/row.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import type { PreviewArguments } from '../../inputs/actor.ts';
import { assertSelection, parseSelection, type Selection, type SelectionArguments } from '../../inputs/selection.ts';
import { anyToken } from '../../rules/callers.ts';
import { entryKey, type EntryKey } from '../../rules/names.ts';
import { presentEntry, type PublicEntry } from '../../serializers/entry.ts';
import { findKnownTarget, isKnown } from '../knownChannels.ts';
import { findChannel, throwNoSuchChannel } from '../load.ts';
import { onEntries, type EntryRead, type OperationContext } from '../operation.ts';
import { embedReferences } from '../references/embed.ts';
import { throwNoSuchEntry } from './hidden.ts';

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
  scope: onEntries('read'),
  mayReadReplicas: true,

  parse: (args) => ({ channel: args.channel, key: entryKey(args.id), ...parseSelection(args) }),

  load: (input, context) =>
    andThen(findChannel(input.channel, context), (channel) => loadFrom(channel, input, context)),

  authorize: 'byPredicate',

  run: ({ row }) => row,

  present: (row, { channel }, { include }, context) => {
    const entry = presentEntry(row, channel, context);
    if (include === null || entry.origin.targets.size === 0) return entry;
    return andThen(embedReferences([entry], include, context.admission.budget), ([whole]) => whole);
  },
};

async function loadFrom(channel: Channel, input: FetchInput, context: OperationContext): Promise<FoundEntry> {
  const { key, only, include } = input;
  const row = key && (await context.services.db.entry.findVisible(channel, context.viewer, key));
  // A channel that does not exist to the caller must not reveal which of the named fields it has.
  if (row === null && !isKnown(channel, context.caller)) throwNoSuchChannel();
  if (only !== null || (include !== null && include.size > 0)) {
    const { mayReadPrivateMembers } = context.viewer;
    await assertSelection(input, channel, mayReadPrivateMembers, (field) => findKnownTarget(field, context));
  }
  if (row === null) throwNoSuchEntry();
  const waiting = context.admission.budget.takeRows(row.size);
  if (isPromise(waiting)) await waiting;
  return { channel, row };
}
