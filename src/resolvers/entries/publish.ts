// Publishes entries, and takes them out of publication (docs/contract.md §4.5): each is an update that sets the publication state,
// and that is decided here whatever the caller may set by the payload of an update.
import { fail, failValidation, orRefusal, ServiceError } from '../../base/errors.ts';
import { isUnchanged } from '../../entries/sql/write.ts';
import { channelRules } from '../../fields/compiled.ts';
import type { PublicationArguments } from '../../inputs/payload.ts';
import { allowsVersion, parsePreconditions, type VersionArguments } from '../../inputs/preconditions.ts';
import { parseSelection, type Include } from '../../inputs/selection.ts';
import { mayPublishIn, maySee, mayWriteIn } from '../../rules/access.ts';
import { mayPublish, publishers } from '../../rules/callers.ts';
import { entryKey } from '../../rules/names.ts';
import { isInScopes } from '../../rules/scopes.ts';
import { draftPublication, publicationAt, type Publication } from '../../rules/publication.ts';
import type { PublicEntry } from '../../serializers/entry.ts';
import { refuseForRight } from '../missingRight.ts';
import { onEntries, type EntryWrite, type OperationContext, type Stale } from '../operation.ts';
import { findStoredEntry, refuseVersion, type StoredEntry, type WriteTarget } from './find.ts';
import { throwHidden } from './hidden.ts';
import { requireScopeOn, requireScopeToSet } from '../scopes/entryScopes.ts';
import { parsePublication, parseUnpublication, type SentPublication } from './publication.ts';
import { refuseAccessChange, updateEntry, valuesAfter, type UpdatedEntry } from './update.ts';
import { prepareChange, sendsUnreadable } from './writing.ts';

interface EntryArguments extends VersionArguments {
  readonly channel: string;
  readonly id: string;
  readonly useAcl?: boolean;
  readonly include?: string | null;
}

interface PublishInput extends WriteTarget, SentPublication {
  readonly include: Include | null;
}

interface PublishSteps {
  readonly args: EntryArguments & PublicationArguments;
  readonly input: PublishInput;
  readonly loaded: StoredEntry;
  readonly done: UpdatedEntry;
  readonly result: PublicEntry;
}

export const publishEntry: EntryWrite<PublishSteps> = {
  name: 'publishEntry',
  callers: publishers,
  scope: onEntries('publish'),

  parse: (args) => ({ ...parseTarget(args), ...parsePublication(args) }),

  load: findToPublish,

  authorize: authorizePublish,

  run: (stored, input, context) => {
    const { publishAt = stored.before.publishAt } = input;
    return storePublication(stored, input, publicationAt(publishAt, context.now), context);
  },

  present: (done, stored, input, context) => updateEntry.present(done, stored, input, context),
};

export const unpublishEntry: EntryWrite<PublishSteps> = {
  name: 'unpublishEntry',
  callers: publishers,
  scope: onEntries('publish'),

  parse: (args) => ({ ...parseTarget(args), ...parseUnpublication(args) }),

  load: findToPublish,

  authorize: authorizePublish,

  run: (stored, input, context) => storePublication(stored, input, draftPublication, context),

  present: (done, stored, input, context) => updateEntry.present(done, stored, input, context),
};

function parseTarget(args: EntryArguments): WriteTarget & Pick<PublishInput, 'include'> {
  const { include } = parseSelection(args);
  return { channel: args.channel, key: entryKey(args.id), ...parsePreconditions(args), include };
}

/** @throws forbidden before anything is loaded for a customer of a user token; not_found as `findStoredEntry` */
function findToPublish(input: PublishInput, context: OperationContext): Promise<StoredEntry> {
  if (!mayPublish(context.caller)) fail('forbidden', 'With a user token nobody publishes for a customer.');
  return findStoredEntry('update', input, context);
}

/**
 * The one place that decides whether a caller may publish an entry, or take it out of publication: a member by the right to; with
 * a master token each caller that passes `update`, with `useAcl` its session's customer.
 * @throws forbidden if the viewer may fetch the entry; else not_found
 */
function authorizePublish(stored: StoredEntry, input: PublishInput, context: OperationContext): void {
  const { channel, before } = stored;
  const { caller, viewer } = context;
  const rules = channelRules(channel);
  if (!mayPublishIn(viewer.subject, caller.kind, rules, before)) {
    if (!maySee(viewer, rules, before)) throwHidden(channel, context);
    refuseForRight(caller, 'This caller may not publish the entry.', 'publish', channel);
  }
  requireScopeOn('publish', channel, before, context);
  requireScopeToSet(input.payload, channel, before, before, context);
  if (caller.member !== undefined) refuseAccessChange(stored, input, context);
}

/**
 * Refuses an update that is sent with a publication by a caller that may not update the entry, unless it changes nothing. Its
 * errors are not reported either.
 * @throws forbidden
 */
async function refuseUpdate(
  { channel, before }: StoredEntry,
  { payload }: PublishInput,
  context: OperationContext,
): Promise<void> {
  const { caller, viewer } = context;
  const mayUpdate = mayWriteIn(viewer.subject, 'update', channelRules(channel), before);
  if (mayUpdate && isInScopes(caller.scopes, 'update', channel.uid, before)) return;
  const unchanged = await orRefusal(async () => {
    const change = await prepareChange(payload, before, channel, context);
    const { status, publishAt } = before;
    return isUnchanged(before, { ...(await valuesAfter(before, change, channel, context)), status, publishAt });
  });
  // The answer must not depend on whether a field that the caller may not read has the value that was sent.
  if (unchanged === true && !sendsUnreadable(payload, channel)) return;
  if (mayUpdate) requireScopeOn('update', channel, before, context);
  refuseForRight(caller, 'This caller may publish the entry, but not update it.', 'update', channel);
}

/**
 * Stores a publication state, with the update that was sent with it.
 * @throws forbidden; precondition_failed; validation_failed with every error; conflict if the channel is not publishable
 */
async function storePublication(
  stored: StoredEntry,
  input: PublishInput,
  publication: Publication,
  context: OperationContext,
): Promise<UpdatedEntry | Stale> {
  const { channel, before } = stored;
  await refuseUpdate(stored, input, context);
  if (!allowsVersion(input, before.version)) refuseVersion();
  if (input.errors.length > 0 || !channel.publishable) await refuseMisfits(stored, input, context);
  if (!channel.publishable) {
    fail('conflict', {
      detail: 'The channel is not publishable: its entries have no publication state that could change.',
      errors: [{ field: '_status', code: 'not_publishable', message: 'the channel is not publishable' }],
    });
  }
  return updateEntry.run(stored, { ...input, publication }, context);
}

/** Refuses a request with errors, those of its update among them. @throws validation_failed */
async function refuseMisfits(
  { channel, before }: StoredEntry,
  { payload, errors }: PublishInput,
  context: OperationContext,
): Promise<void> {
  const change = await orRefusal(async () => prepareChange(payload, before, channel, context));
  if (!(change instanceof ServiceError)) {
    if (errors.length > 0) failValidation([...errors]);
    return;
  }
  if (change.code !== 'validation_failed') throw change;
  failValidation([...errors, ...(change.errors ?? [])]);
}
