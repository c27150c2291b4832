// Updates an entry: sets the members that are sent, clears those sent as null, and leaves the others; a merge patch is merged into
// the entry that the conditional write then replaces (docs/contract.md §3 to §5).
import { isDeepStrictEqual } from 'node:util';
import { members } from '../../entries/members.ts';
import type { EntryRow } from '../../entries/row.ts';
import type { EntryValues } from '../../entries/draft.ts';
import { isUnchanged } from '../../entries/sql/write.ts';
import { fail } from '../../base/errors.ts';
import { channelRules, compiledFields } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { parsePreconditions, type VersionArguments } from '../../inputs/preconditions.ts';
import { isObject } from '../../inputs/json.ts';
import { dependsOnTarget, mergePayload } from '../../inputs/mergePatch.ts';
import {
  type EntryChange,
  parsePayload,
  readAccess,
  type Payload,
  type PayloadArguments,
} from '../../inputs/payload.ts';
import { parseSelection, type Include } from '../../inputs/selection.ts';
import { isOwner, maySee } from '../../rules/access.ts';
import { anyToken, settableGroups } from '../../rules/callers.ts';
import type { Publication } from '../../rules/publication.ts';
import { entryKey } from '../../rules/names.ts';
import { mayByRight, memberOwner } from '../../rules/rights.ts';
import { presentEntry, presentToWriter, type PublicEntry } from '../../serializers/entry.ts';
import { isKnown } from '../knownChannels.ts';
import { refuseForRight } from '../missingRight.ts';
import { onEntries, stale, type EntryWrite, type OperationContext } from '../operation.ts';
import { embedWritten } from '../references/embedWritten.ts';
import { authorizeWrite, findStoredEntry, type StoredEntry, type WriteTarget } from './find.ts';
import { chooseSlug, slugChoice } from './names.ts';
import { requireScopeToSet } from '../scopes/entryScopes.ts';
import { applyChange, mayReadValues, prepareChange, readableForm, storeUpdate, sendsUnreadable } from './writing.ts';

export type UpdateArguments = PayloadArguments &
  VersionArguments & {
    readonly channel: string;
    readonly id: string;
    readonly useAcl?: boolean;
    readonly include?: string | null;
  };

interface UpdateInput extends WriteTarget {
  readonly payload: Payload;
  /** The publication state to store, whatever the payload and the caller; absent for the one that these make. */
  readonly publication?: Publication;
  readonly include: Include | null;
}

export interface UpdatedEntry {
  readonly row: EntryRow;
  /** Whether the caller could have fetched the entry just before. */
  readonly isSeen: boolean;
  /** The change, if the caller may see nothing else of the entry; null if it may see the whole entry. */
  readonly limitedTo: EntryChange | null;
}

export const updateEntry: EntryWrite<{
  args: UpdateArguments;
  input: UpdateInput;
  loaded: StoredEntry;
  done: UpdatedEntry;
  result: PublicEntry;
}> = {
  name: 'updateEntry',
  callers: anyToken,
  scope: onEntries('update'),

  parse: (args) => ({
    channel: args.channel,
    key: entryKey(args.id),
    ...parsePreconditions(args),
    payload: parsePayload(args),
    include: parseSelection(args).include,
  }),

  load: (input, context) => findStoredEntry('update', input, context),

  authorize: (stored, input, context) => {
    refuseBlindMerge(stored, input, context);
    if (context.caller.scopes !== null) {
      const { channel, before } = stored;
      requireScopeToSet(payloadFor(before, input.payload, channel, context), channel, before, before, context);
    }
    authorizeWrite('update', stored, input, context);
    if (context.caller.member !== undefined) refuseAccessChange(stored, input, context);
  },

  run: async ({ channel, before }, { payload, publication }, context) => {
    await takeForAnswer(before, channel, context);
    const isSeen = maySee(context.viewer, channelRules(channel), before);
    const mayRead = mayReadValues(before, channel, context);
    const sent = await prepareChange(payloadFor(before, payload, channel, context), before, channel, context);
    const change = mayRead ? sent : withoutHiddenTitle(sent, channel);
    const updated = await valuesAfter(before, change, channel, context);
    const values = publication === undefined ? updated : { ...updated, ...publication };
    // A caller who can update but not read must not learn whether the stored value already equals theirs: write even a
    // no-op, so that `version` always moves.
    const isBlind = !mayRead && (publication !== undefined || hasAnyMember(sent));
    const isNoOp = isUnchanged(before, values) && !isBlind && !sendsUnreadable(payload, channel);
    const row = isNoOp ? before : await storeUpdate(channel, before, values, context);
    return row === stale ? stale : { row, isSeen, limitedTo: mayRead ? null : sent };
  },

  present: async ({ row, isSeen, limitedTo }, { channel }, { include }, context) => {
    const presented = limitedTo
      ? presentToWriter(row, channel, context, limitedTo)
      : presentEntry(row, channel, context);
    const [entry = presented] = await embedWritten([presented], include, context);
    return isSeen || isKnown(channel, context.caller) ? entry : { ...entry, channel: null };
  },
};

/**
 * Refuses a merge into values that the caller may not read: the answer, and the errors of the merged value, would show
 * them.
 * @throws forbidden
 */
function refuseBlindMerge(
  { channel, before }: StoredEntry,
  { payload }: UpdateInput,
  { viewer, caller }: OperationContext,
): void {
  if (!dependsOnTarget(payload, settableGroups(caller, channel.uid).has('access'))) return;
  const { sent, unreadable } = compiledFields(channel);
  const blind = unreadable.find((name) => sent.has(name) && isObject(payload.fields[name]));
  if (blind !== undefined) {
    fail(
      'forbidden',
      `This caller may not read the field ${blind}, and so not merge into its value: send application/json.`,
    );
  }
  if (maySee(viewer, channelRules(channel), before) || isOwner(caller.customer, before)) return;
  fail('forbidden', 'This caller may not read the entry, and so not merge into its values: send application/json.');
}

/**
 * Refuses a member's change of `_acl` or `_owner` that would give it more than the right `access`: it takes no entry for its own,
 * and without `publish` it changes neither of an entry that is published or scheduled (docs/contract.md §14.1).
 * @throws forbidden
 */
export function refuseAccessChange(
  { channel, before }: StoredEntry,
  { payload }: Pick<UpdateInput, 'payload'>,
  context: OperationContext,
): void {
  const { caller } = context;
  const { member } = caller;
  if (member === undefined || !settableGroups(caller, channel.uid).has('access')) return;
  const own = memberOwner(member);
  if (payload.fixed[members.owner.rest] === own && before.owner !== own) {
    fail('forbidden', 'A member does not make an entry its own.');
  }
  if (!channel.publishable || before.status === 'draft' || mayByRight(member, 'publish', channel, before)) return;
  const { acl = before.acl, owner = before.owner } = readAccess(payloadFor(before, payload, channel, context));
  if (isDeepStrictEqual([acl, owner], [before.acl, before.owner])) return;
  const detail = 'Who may not publish changes neither _acl nor _owner of an entry that is published or scheduled.';
  refuseForRight(caller, detail, 'publish', channel);
}

/** The payload of an update; a merge patch is merged into the members that the entry shows. */
function payloadFor(before: EntryRow, payload: Payload, channel: Channel, context: OperationContext): Payload {
  const { caller, admission } = context;
  if (!dependsOnTarget(payload, settableGroups(caller, channel.uid).has('access'))) return payload;
  const fields = readableForm(before, channel, context);
  const { references } = compiledFields(channel);
  return mergePayload(payload, { acl: before.acl, fields, references }, admission.limits);
}

/** The approximate size of a reference in the answer to an update, in bytes. */
const referenceBytes = 200;

/**
 * Takes the budget of the answer to an update before anything is stored: later it cannot be refused any more.
 * @throws answer_too_large, too_complex
 */
async function takeForAnswer(before: EntryRow, channel: Channel, context: OperationContext): Promise<void> {
  const { budget } = context.admission;
  let references = 0;
  for (const name of compiledFields(channel).references.keys()) references += [before.data[name] ?? []].flat().length;
  budget.takeReferences(references);
  await budget.takeRows(sizeToKnow(before, channel, context) + references * referenceBytes);
}

/** The size of an entry without the values that the caller may not read. */
function sizeToKnow(before: EntryRow, channel: Channel, context: OperationContext): number {
  if (compiledFields(channel).unreadable.length === 0) return before.size;
  return Buffer.byteLength(JSON.stringify([readableForm(before, channel, context), before.acl]));
}

/** The values of the entry after a change, including its slug. */
export async function valuesAfter(
  before: EntryRow,
  change: EntryChange,
  channel: Channel,
  context: OperationContext,
): Promise<EntryValues> {
  const values = applyChange(before, change, channel, context);
  if (change.slug === undefined) return { slug: before.slug, ...values };
  const slug = await chooseSlug(slugChoice(change.slug, values.title), before.slug, channel, context);
  return { slug, ...values };
}

/**
 * Drops a request for a slug made from the title if the change does not contain the title: the slug would show the stored
 * title to a caller who may not read the entry.
 */
function withoutHiddenTitle({ slug, ...change }: EntryChange, { titleField }: Channel): EntryChange {
  const wouldShowTitle = slug === null && !Object.hasOwn(change.fields, titleField);
  return slug === undefined || wouldShowTitle ? change : { ...change, slug };
}

/** Whether a change sets any member at all. */
function hasAnyMember({ fields, ...members }: EntryChange): boolean {
  return Object.keys(fields).length + Object.keys(members).length > 0;
}
