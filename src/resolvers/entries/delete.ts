// Deletes an entry (docs/contract.md §3, §5).
import { parsePreconditions, type VersionArguments } from '../../inputs/preconditions.ts';
import { anyToken } from '../../rules/callers.ts';
import { entryKey } from '../../rules/names.ts';
import { onEntries, stale, type EntryWrite } from '../operation.ts';
import { authorizeWrite, findStoredEntry, type StoredEntry, type WriteTarget } from './find.ts';

export type DeleteArguments = VersionArguments & {
  readonly channel: string;
  readonly id: string;
  readonly useAcl?: boolean;
};

/** The result is the entry's id. */
export const deleteEntry: EntryWrite<{
  args: DeleteArguments;
  input: WriteTarget;
  loaded: StoredEntry;
  done: string;
  result: string;
}> = {
  name: 'deleteEntry',
  callers: anyToken,
  scope: onEntries('delete'),

  parse: (args) => ({ channel: args.channel, key: entryKey(args.id), ...parsePreconditions(args) }),

  load: (input, context) => findStoredEntry('delete', input, context),

  authorize: (stored, input, context) => authorizeWrite('delete', stored, input, context),

  run: async ({ channel, before }, _input, context) =>
    (await context.services.db.entry.deleteIf(channel, before, context)) ? before.id : stale,

  present: (id) => id,
};
