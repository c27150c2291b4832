// Creates an entry (docs/contract.md §3 to §5).
import { v7 as uuidv7 } from 'uuid';
import type { EntryRow } from '../../entries/row.ts';
import type { EntryDraft, EntryTimes } from '../../entries/draft.ts';
import { fail } from '../../base/errors.ts';
import { andThen, isPromise, type PromiseOrValue } from '../../base/promiseOrValue.ts';
import { channelRules } from '../../fields/compiled.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { parsePayload, type Payload, type PayloadArguments } from '../../inputs/payload.ts';
import { parseSelection, type Include } from '../../inputs/selection.ts';
import { mayCreateIn } from '../../rules/access.ts';
import { anyToken, mayKeepIdentity } from '../../rules/callers.ts';
import { presentEntry, type PublicEntry } from '../../serializers/entry.ts';
import { findChannel } from '../load.ts';
import { refuseForRight } from '../missingRight.ts';
import { onEntries, type EntryWrite, type OperationContext } from '../operation.ts';
import { embedWritten } from '../references/embedWritten.ts';
import { requireScopeOn, requireScopeToSet } from '../scopes/entryScopes.ts';
import { chooseSlug, newShortId, slugChoice, type SlugChoice } from './names.ts';
import { applyChange, type NamelessValues, newEntry, prepareChange, rowOrStale, takenIdError } from './writing.ts';

export type CreateArguments = PayloadArguments & {
  readonly channel: string;
  readonly useAcl?: boolean;
  readonly include?: string | null;
};

interface CreateInput {
  readonly channel: string;
  readonly payload: Payload;
  readonly include: Include | null;
}

export const createEntry: EntryWrite<{
  args: CreateArguments;
  input: CreateInput;
  loaded: Channel;
  done: EntryRow;
  result: PublicEntry;
}> = {
  name: 'createEntry',
  callers: anyToken,
  scope: onEntries('create'),

  parse: (args) => ({
    channel: args.channel,
    payload: parsePayload(args),
    include: parseSelection(args).include,
  }),

  load: ({ channel }, context) => findChannel(channel, context),

  authorize: authorizeCreate,

  run: async (channel, { payload }, context) => {
    const preparing = prepareEntry(payload, channel, context);
    const prepared = isPromise(preparing) ? await preparing : preparing;
    // The first attempt takes the id without a query, as it does with a slug.
    if (context.attempt > 0) await refuseTakenId(prepared, channel, context);
    const choosing = chooseSlug(prepared.choice, '', channel, context);
    const slug = isPromise(choosing) ? await choosing : choosing;
    return rowOrStale(await context.services.db.entry.insertDraft(channel, withSlug(prepared, slug), context));
  },

  present: (row, channel, { include }, context) => {
    const presented = presentEntry(row, channel, context);
    return andThen(embedWritten([presented], include, context), ([entry = presented]) => entry);
  },
};

/** Checks the right to create, the channel's `create` scope, and the scopes of the token. @throws forbidden if the viewer may not create entries in the channel */
export function authorizeCreate(channel: Channel, _input: unknown, context: OperationContext): void {
  const { viewer, caller } = context;
  if (!mayCreateIn(viewer.subject, channelRules(channel))) {
    refuseForRight(caller, 'This caller may not create entries in the channel.', 'create', channel);
  }
  requireScopeOn('create', channel, null, context);
}

/** Refuses an id that another entry has. @throws conflict */
async function refuseTakenId(
  { id, keepsId }: PreparedEntry,
  channel: Channel,
  { services: { db } }: OperationContext,
): Promise<void> {
  if (keepsId && (await db.entry.findTakenIds(channel, [id])).size > 0) throw takenIdError();
}

/** A new entry that is validated, but has no slug yet. */
export interface PreparedEntry {
  readonly id: string;
  /** Whether the id was sent, so that another entry can have it. */
  readonly keepsId: boolean;
  readonly times: EntryTimes | null;
  readonly values: NamelessValues;
  readonly choice: SlugChoice;
}

/**
 * Validates a payload, and derives the values of the new entry.
 * @throws forbidden if the payload has an id, and the caller may not choose it, or what the token's scopes do not have; validation_failed with every error
 */
export function prepareEntry(
  payload: Payload,
  channel: Channel,
  context: OperationContext,
): PromiseOrValue<PreparedEntry> {
  if (payload.identity !== null && !mayKeepIdentity(context.caller)) {
    fail('forbidden', 'Only a master token may choose the id of a new entry.');
  }
  if (context.caller.scopes !== null) requireScopeToSet(payload, channel, newEntry(context, channel), null, context);
  return andThen(prepareChange(payload, null, channel, context), (change) => {
    const { id = uuidv7(), times = null } = change.identity ?? {};
    const values = applyChange(newEntry(context, channel), change, channel, context);
    const choice = slugChoice(change.slug ?? null, values.title);
    return { id, keepsId: change.identity !== undefined, times, values, choice };
  });
}

/** Completes a prepared entry to a draft that can be inserted. */
export function withSlug({ id, times, values }: PreparedEntry, slug: string): EntryDraft {
  return { id, shortId: newShortId(), times, values: { slug, ...values } };
}
