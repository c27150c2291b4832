// Updates a channel: settings that are sent are set, absent ones stay (docs/contract.md §4, §6, §7).
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import { fail } from '../../errors.ts';
import type { ChannelPatch } from '../../generated/graphql/types.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { checkChannelPatch, type ChannelSettings } from '../../inputs/channel.ts';
import { isHandle } from '../../rules/names.ts';
import { managers } from '../../rules/callers.ts';
import { presentChannel, type PublicChannel } from '../../serializers/channel.ts';
import { authorizedByLoad, stale, type Operation, type OperationContext } from '../perform.ts';
import { describeCount, maxCounted } from './fieldConflicts.ts';
import { throwNoSuchChannel } from '../load.ts';
import { findNewReferences } from './referenceFields.ts';
import { storeChanges } from './storeChanges.ts';

interface UpdateChannelArguments {
  readonly id: string;
  readonly input: ChannelPatch;
  /** The channel's id, where entries that are hidden now may be shown. */
  readonly confirm?: string | null;
}

export const updateChannel: Operation<
  UpdateChannelArguments,
  UpdateChannelArguments,
  Channel,
  Channel,
  PublicChannel,
  Context
> = {
  callers: managers,

  parse: (args) => args,

  // Never the cached row: where nothing changes there is no write, which would tell that the row is stale.
  load: async ({ id }, { site, directory }) =>
    (isHandle(id) ? await directory.channelNow(site, id) : null) ?? throwNoSuchChannel(),

  authorize: authorizedByLoad,

  run: async (before, { input, confirm }, context) => {
    const row = await applyPatch(before, input, confirm === before.id, context);
    if (row === undefined) return stale;
    await context.directory.settle();
    if (row.derivedVersion < row.fieldsVersion) await context.rebuild(row);
    await context.directory.settle();
    return row;
  },

  present: (row, _before, _input, { caller }) => presentChannel(row, caller),
};

/**
 * Stores what a patch changes; nothing, where it changes nothing.
 * @returns the row; undefined where the channel changed meanwhile
 */
async function applyPatch(
  before: Channel,
  input: ChannelPatch,
  isConfirmed: boolean,
  context: OperationContext<Context>,
): Promise<Channel | undefined> {
  const changes = selectChanges(before, checkChannelPatch(input));
  if (Object.keys(changes).length === 0) return before;
  const referring = await findNewReferences(changes.fields ?? [], before, context);
  const mayExpose = !(before.publishable && changes.publishable === false) || isConfirmed;
  if (!mayExpose) await refuseToExpose(before, context);
  return storeChanges(before, changes, { mayExpose, referring }, context);
}

/** Those of some settings that differ from a channel's own. */
function selectChanges(before: Channel, settings: Partial<ChannelSettings>): Partial<ChannelSettings> {
  const changed = Object.entries(settings).filter(
    ([name, value]) => !isDeepStrictEqual(before[name as keyof ChannelSettings], value),
  );
  return Object.fromEntries(changed);
}

/**
 * Refuses to make a channel not publishable while that would show hidden entries to the public (docs/contract.md §4).
 * @throws conflict where it would
 */
async function refuseToExpose(before: Channel, context: Context): Promise<void> {
  const count = await context.db.entry.countHiddenFromPublic(before, context.now, maxCounted + 1);
  if (count === 0) return;
  const message = `would show entries to the public that are hidden now: ${describeCount(count)}`;
  fail('conflict', {
    detail: `publishable: ${message}. Send the channel's id as confirm if they may be seen.`,
    errors: [{ field: 'publishable', code: 'hidden_entries', message }],
  });
}
