// Updates a channel: sets the settings that are sent, and leaves the others unchanged (docs/contract.md §4, §6, §7).
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { ChannelPatch } from '../../generated/graphql/types.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { checkChannelPatch, type ChannelSettings } from './input.ts';
import { isObject } from '../../inputs/json.ts';
import { applyMergePatch } from '../../inputs/mergePatch.ts';
import type { Sent } from '../../inputs/sent.ts';
import { managers } from '../../rules/callers.ts';
import { presentWholeChannel, type PublicChannel } from '../../serializers/channel.ts';
import { findChannelNow } from '../../resolvers/load.ts';
import { stale, type ManagementOperation, type OperationContext } from '../../resolvers/operation.ts';
import { describeCount, maxCounted } from './fieldConflicts.ts';
import { refuseTitleRule } from './fieldRules.ts';
import { findNewReferences } from './referenceFields.ts';
import { storeChanges } from './storeChanges.ts';

type UpdateChannelArguments = Sent<ChannelPatch> & {
  readonly id: string;
  /** The channel's id, if the caller agrees that hidden entries become visible. */
  readonly confirm?: string | null;
};

export const updateChannel: ManagementOperation<{
  args: UpdateChannelArguments;
  done: Channel;
  result: PublicChannel;
}> = {
  name: 'updateChannel',
  callers: managers,
  needs: ['channels'],

  find: ({ id }, context) => findChannelNow(id, context),

  run: async (input, context) => {
    // Reads past the cache: a patch that changes nothing writes nothing, so that no version check would reveal a stale row.
    const before = await findChannelNow(input.id, context);
    const row = await applyPatch(before, input, context);
    if (row === undefined) return stale;
    await context.services.directory.settle();
    if (row.derivedVersion < row.fieldsVersion) await context.services.rebuild(row);
    await context.services.directory.settle();
    return row;
  },

  present: (row, _input, context) => presentWholeChannel(row, context),
};

/**
 * Stores the settings that a patch changes. Writes nothing if it changes none.
 * @returns the row; undefined if the channel changed meanwhile
 * @throws validation_failed, conflict
 */
async function applyPatch(
  before: Channel,
  input: UpdateChannelArguments,
  context: OperationContext<Context>,
): Promise<Channel | undefined> {
  const changes = selectChanges(before, checkChannelPatch(mergeLayout(before, input)));
  if (Object.keys(changes).length === 0) return before;
  const { titleField = before.titleField, fields = compiledFields(before).definitions } = changes;
  refuseTitleRule(titleField, fields);
  if (fields.length === 0 && input.confirm !== before.id) refuseToUncover(before);
  const referring = await findNewReferences(changes.fields ?? [], before, context);
  const mayExpose = !(before.publishable && changes.publishable === false) || input.confirm === before.id;
  if (!mayExpose) await refuseToExpose(before, context);
  return storeChanges(before, changes, { mayExpose, referring }, context);
}

/**
 * Refuses to leave a channel without declared fields, which shows every value, while one of its fields has a rule for reading.
 * @throws conflict
 */
function refuseToUncover(before: Channel): void {
  const hidden = compiledFields(before).definitions.filter(({ read }) => read !== undefined);
  if (hidden.length === 0) return;
  const names = hidden.map(({ name }) => name).join(', ');
  const message = `would show the values of fields with a read rule to every reader: ${names}`;
  fail('conflict', {
    detail: `fields: ${message}. If they may be seen, send the channel's id as confirm.`,
    errors: [{ field: 'fields', code: 'hidden_fields', message }],
  });
}

/** The patch with its whole layout: a merge patch is merged into that of the channel (RFC 7396). */
function mergeLayout({ layout }: Channel, input: UpdateChannelArguments): Sent<ChannelPatch> {
  if ('input' in input || input.merges !== true || !isObject(input.body['layout'])) return input;
  return { ...input, body: { ...input.body, layout: applyMergePatch(layout, input.body['layout']) } };
}

/** Selects the settings whose values differ from the channel's current ones. */
function selectChanges(before: Channel, settings: Partial<ChannelSettings>): Partial<ChannelSettings> {
  const current: Readonly<Record<string, unknown>> = { ...before, fields: compiledFields(before).definitions };
  const changed = Object.entries(settings).filter(([name, value]) => !isDeepStrictEqual(current[name], value));
  return Object.fromEntries(changed);
}

/**
 * Refuses to make a channel not publishable if that would show hidden entries to the public (docs/contract.md §4).
 * @throws conflict with the number of such entries
 */
async function refuseToExpose(before: Channel, context: Context): Promise<void> {
  const count = await context.services.db.entry.countHiddenFromPublic(before, context.now, maxCounted + 1);
  if (count === 0) return;
  const message = `would show entries to the public that are hidden now: ${describeCount(count)}`;
  fail('conflict', {
    detail: `publishable: ${message}. If these entries may be seen, send the channel's id as confirm.`,
    errors: [{ field: 'publishable', code: 'hidden_entries', message }],
  });
}
