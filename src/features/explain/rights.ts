// Lists the rights of the caller in a channel, and to an entry of it (docs/contract.md §10.4), so that a client offers
// nothing that the service would refuse. The rules are those that decide the operations.
import { channelRules } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { mayCreateIn, mayPublishIn, mayWriteIn, type WriteAction } from '../../rules/access.ts';
import { anyToken, mayPublish, settableGroups } from '../../rules/callers.ts';
import { entryKey, type EntryKey } from '../../rules/names.ts';
import type { EntryRight } from '../../rules/rights.ts';
import { isInScopes, scopedReach } from '../../rules/scopes.ts';
import type { Rights } from './serializer.ts';
import { isKnown } from '../../resolvers/knownChannels.ts';
import { findChannel, throwNoSuchChannel } from '../../resolvers/load.ts';
import { onEntries, type EntryRead, type OperationContext } from '../../resolvers/operation.ts';
import { throwNoSuchEntry } from '../../resolvers/entries/hidden.ts';

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
  scope: onEntries('read'),

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
  const { caller } = context;
  const isScoped = (right: EntryRight): boolean => isInScopes(caller.scopes, right, channel.uid, row);
  // An entry that is no draft leaves publication by either.
  const isLive = channel.publishable && row.status !== 'draft';
  const may = (action: WriteAction): boolean =>
    mayWriteIn(subject, action, rules, row) && isScoped(action) && (!isLive || isScoped('publish'));
  const mayByRules = mayPublish(caller) && mayPublishIn(subject, caller.kind, rules, row);
  const publish = channel.publishable && mayByRules && isScoped('publish');
  return { ...rightsInChannel(channel, context), update: may('update'), delete: may('delete'), publish };
}

function rightsInChannel(channel: Channel, { caller, viewer }: OperationContext): Pick<Rights, 'create' | 'access'> {
  const isScoped = (right: EntryRight): boolean => scopedReach(caller.scopes, right, channel.uid) !== null;
  const create = mayCreateIn(viewer.subject, channelRules(channel)) && isScoped('create');
  return { create, access: settableGroups(caller, channel.uid).has('access') && isScoped('access') };
}
