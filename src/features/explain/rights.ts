// Lists the rights of the caller in a channel, and to an entry of it (docs/contract.md §10.4), so that a client offers
// nothing that the service would refuse. The rules are those that decide the operations.
import { channelRules } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { mayCreateIn, mayPublishIn, mayWriteIn, type WriteAction } from '../../rules/access.ts';
import { anyToken, mayPublish, settableGroups } from '../../rules/callers.ts';
import { entryKey, type EntryKey } from '../../rules/names.ts';
import type { Rights } from './serializer.ts';
import { isKnown } from '../../resolvers/knownChannels.ts';
import { findChannel, throwNoSuchChannel } from '../../resolvers/load.ts';
import type { EntryRead, OperationContext } from '../../resolvers/operation.ts';
import { throwNoSuchEntry } from '../../resolvers/entries/find.ts';

interface RightsArguments {
  readonly channel: string;
  /** Absent for the rights in the channel alone. */
  readonly id?: string | null | undefined;
}

interface RightsInput {
  readonly channel: string;
  /** Undefined if no entry is named; null for a text that cannot be the name of one. */
  readonly key: EntryKey | null | undefined;
}

export const fetchRights: EntryRead<{
  args: RightsArguments;
  input: RightsInput;
  loaded: Rights;
  done: Rights;
  result: Rights;
}> = {
  name: 'fetchRights',
  callers: anyToken,

  parse: ({ channel, id }) => ({ channel, key: id === undefined || id === null ? undefined : entryKey(id) }),

  load: async ({ channel: id, key }, context) => {
    const channel = await findChannel(id, context);
    if (key !== undefined) return rightsOnEntry(channel, key, context);
    if (!isKnown(channel, context.caller)) throwNoSuchChannel();
    return { ...rightsInChannel(channel, context), update: null, delete: null, publish: null };
  },

  authorize: 'byPredicate',

  run: (rights) => Promise.resolve(rights),

  present: (rights) => rights,
};

/** The caller's rights to an entry that it could fetch. @throws not_found for any other one, as a fetch does */
async function rightsOnEntry(channel: Channel, key: EntryKey | null, context: OperationContext): Promise<Rights> {
  const row = key && (await context.services.db.entry.findVisible(channel, context.viewer, key));
  if (row === null && !isKnown(channel, context.caller)) throwNoSuchChannel();
  if (row === null) throwNoSuchEntry();
  await context.admission.budget.takeRows(row.size);
  const rules = channelRules(channel);
  const { subject } = context.viewer;
  const may = (action: WriteAction): boolean => mayWriteIn(subject, action, rules, row);
  const { caller } = context;
  const publish = channel.publishable && mayPublish(caller) && mayPublishIn(subject, caller.kind, rules, row);
  return { ...rightsInChannel(channel, context), update: may('update'), delete: may('delete'), publish };
}

function rightsInChannel(channel: Channel, { caller, viewer }: OperationContext): Pick<Rights, 'create' | 'access'> {
  const create = mayCreateIn(viewer.subject, channelRules(channel));
  return { create, access: settableGroups(caller, channel.uid).has('access') };
}
