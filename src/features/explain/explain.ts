// Explains whether an actor may create, read, update and delete an entry, and why (docs/contract.md §10.1). The
// operation runs with the actor's access, so that the explanation comes from the rules that decide the actor's own
// requests.
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
  /** Null for a text that cannot be the name of an entry. */
  readonly key: EntryKey | null;
}

/** Explains only entries of which the caller itself may read the members that decide access. */
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
