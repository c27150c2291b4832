// Explains whether an actor may create, read, update and delete an entry, and why (docs/contract.md §10.1). The actor is the one
// whose sight the operation has: what is told here is what the same rules decide for that actor's own request.
import { fail } from '../../base/errors.ts';
import { channelRules } from '../../fields/compiled.ts';
import type { PreviewArguments } from '../../inputs/actor.ts';
import { explainAccess, type Explanation } from '../../rules/access.ts';
import { previewers } from '../../rules/callers.ts';
import { entryKey, type EntryKey } from '../../rules/names.ts';
import { findChannel } from '../../resolvers/load.ts';
import type { EntryRead } from '../../resolvers/operation.ts';
import { throwNoSuchEntry } from '../../resolvers/entries/find.ts';

interface ExplainArguments extends PreviewArguments {
  readonly channel: string;
  readonly id: string;
}

interface ExplainInput {
  readonly channel: string;
  /** null if what was sent has none of the forms that name an entry. */
  readonly key: EntryKey | null;
}

/** Tells of an entry that the caller itself may read what decides on access to it. */
export const explainEntryAccess: EntryRead<{
  args: ExplainArguments;
  input: ExplainInput;
  loaded: Explanation;
  done: Explanation;
  result: Explanation;
}> = {
  name: 'explainEntryAccess',
  callers: previewers,

  parse: ({ channel, id, as: actor }) => {
    if (actor === undefined || actor === null) {
      fail('bad_request', 'as is missing: send anonymous, customer:<id> or roles:<role>,<role>.');
    }
    return { channel, key: entryKey(id) };
  },

  load: async ({ channel: id, key }, context) => {
    const channel = await findChannel(id, context);
    const { within } = context.viewer;
    const row = key && within && (await context.services.db.entry.findVisible(channel, within, key));
    if (row === null) throwNoSuchEntry();
    await context.admission.budget.takeRows(row.size);
    return explainAccess(context.viewer, channelRules(channel), row);
  },

  authorize: 'byPredicate',

  run: (explanation) => Promise.resolve(explanation),

  present: (explanation) => explanation,
};
