// Many writes in one request (docs/contract.md §5, §7), in one transaction if they are atomic or have an idempotency key, else
// in several. Each runs like the single operation, in the order in which they were sent; consecutive creates are stored by
// one statement. An operation is refused before it has written anything, so that a refusal needs no rollback of its own.
import { isUnavailable } from '../../database/databaseErrors.ts';
import type { LockTarget } from '../../entries/sql/lockEntries.ts';
import { orRefusal, ServiceError } from '../../base/errors.ts';
import { nextTurn } from '../../base/eventLoop.ts';
import { channelRules, compiledFields } from '../../fields/compiled.ts';
import { wholeChannel } from '../../fields/narrowed.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { parseBulk, type BulkArguments, type BulkInput, type BulkOperation } from '../../inputs/bulk.ts';
import type { PayloadArguments } from '../../inputs/payload.ts';
import { stubsOnly } from '../../inputs/selection.ts';
import { hasRightIn, mayWriteAny } from '../../rules/access.ts';
import { anyToken } from '../../rules/callers.ts';
import { entryKey } from '../../rules/names.ts';
import type { EntryRight } from '../../rules/rights.ts';
import type { PublicEntry } from '../../serializers/entry.ts';
import type { RequestStats } from '../../telemetry/requestStats.ts';
import { findChannel, findWholeChannel } from '../load.ts';
import type { EntryBatch, OperationContext } from '../operation.ts';
import { perform } from '../perform.ts';
import { asWritten, embedWritten } from '../references/embedWritten.ts';
import { inTransaction, type InnerContext } from '../transaction.ts';
import { createEntries } from './createMany.ts';
import { deleteEntry } from './delete.ts';
import { publishEntry, unpublishEntry } from './publish.ts';
import { updateEntry } from './update.ts';

/** The outcome of one operation: its status in REST, and the entry or the refusal. A delete has neither. */
export interface BulkOutcome {
  readonly status: number;
  readonly entry?: PublicEntry;
  readonly error?: ServiceError;
}

export interface BulkResult {
  readonly results: BulkOutcome[];
}

export const bulkEntries: EntryBatch<{
  args: BulkArguments;
  input: BulkInput & { embedsStubs: boolean };
  loaded: Channel;
  done: BulkOutcome[];
  result: BulkResult;
}> = {
  name: 'bulkEntries',
  callers: anyToken,
  scope: {
    onEntries: ['create', 'update', 'delete', 'publish'],
    inChannel: ({ channel }) => channel,
    ofInput: ({ operations }) => operations.flatMap(rightOf),
  },

  countOperations: ({ operations }) => operations.length,

  // REST sends a body, and its response embeds the stubs of references. In GraphQL the fields of Entry follow them.
  parse: (args) => ({ ...parseBulk(args), embedsStubs: 'body' in args }),

  load: ({ channel }, context) => findChannel(channel, context),

  // Each operation is authorized by itself, in `run`.
  authorize: 'byParts',

  run: (channel, input, context) => {
    const isWhole = input.atomic || 'transaction' in context.services.db;
    return isWhole ? performTogether(input, context) : performInParts(input, partSize(channel), context);
  },

  present: async (done, _channel, { embedsStubs }, context) => {
    for (const { error } of done) if (error) context.stats.noteError(error);
    // The transaction is over: references are followed through the request's own context, for all entries together.
    const entries = done.flatMap(({ entry }) => entry ?? []);
    const shown = embedsStubs ? await embedWritten(entries, stubsOnly, context) : asWritten(entries, context);
    const next = shown.values();
    return { results: done.map((each) => (each.entry ? { ...each, entry: next.next().value ?? each.entry } : each)) };
  },

  stores: ({ results }) => results.some(isDone),
};

/** The right of one operation in the scopes of a token; none for one that is refused anyhow. */
function rightOf({ does }: BulkOperation): EntryRight[] {
  if (does === 'nothing') return [];
  return [does === 'unpublish' ? 'publish' : does];
}

/**
 * Lists the entries that operations name, of those operations that the channel admits. Refused operations lock nothing,
 * so that callers without rights do not delay those with rights.
 */
function listWritable(
  operations: readonly BulkOperation[],
  channel: Channel,
  { caller, viewer: { subject } }: OperationContext,
): LockTarget[] {
  const rules = channelRules(channel);
  const lockedToPublish = caller.kind === 'master' ? 'update' : 'publish';
  return operations.flatMap((each) => {
    if (each.does === 'create' || each.does === 'nothing') return [];
    const action = each.does === 'update' || each.does === 'delete' ? each.does : lockedToPublish;
    const isAdmitted = action === 'publish' ? hasRightIn(subject, action, rules) : mayWriteAny(subject, action, rules);
    const key = isAdmitted ? entryKey(each.id) : null;
    return key === null ? [] : [{ action, key }];
  });
}

/**
 * The number of operations that one transaction may have, unless all of them have to be in one: others wait for its
 * locks.
 */
const maxTogether = 100;
/** The number of values that such a transaction may write to the side table: each takes up to 0.2 ms. */
const maxIndexedTogether = 2_500;

/** The number of operations on a channel that a transaction may have. */
function partSize(channel: Channel): number {
  const { length } = compiledFields(wholeChannel(channel)).indexed;
  return Math.max(1, Math.min(maxTogether, Math.floor(maxIndexedTogether / Math.max(1, length))));
}

/**
 * Performs operations in several transactions, one after the other.
 * @param size the largest number of operations in each
 * @returns an outcome for each. If a transaction fails, its operations and later ones are refused with its error
 * @throws the errors of the first transaction
 */
async function performInParts(input: BulkInput, size: number, context: OperationContext): Promise<BulkOutcome[]> {
  const outcomes: BulkOutcome[] = [];
  while (outcomes.length < input.operations.length) {
    const operations = input.operations.slice(outcomes.length, outcomes.length + size);
    try {
      outcomes.push(...(await performTogether({ ...input, operations }, context)));
    } catch (error) {
      if (outcomes.length === 0) throw error;
      // Stored entries stay, and their answer must not be lost.
      const refusal = asRefusal(error, context.stats);
      return input.operations.map((_operation, index) => outcomes[index] ?? asRefused(refusal));
    }
  }
  return outcomes;
}

/**
 * The refusal that stands for an error. A fault of the service is recorded for the log, because the answer itself is
 * none. A connection may have ended after the server received the COMMIT: then it is unknown whether the operations are
 * stored.
 */
function asRefusal(error: unknown, account: RequestStats): ServiceError {
  if (error instanceof ServiceError) return error;
  account.noteFault(error);
  return isUnavailable(error)
    ? new ServiceError('unavailable', { detail: unconfirmedPart, internal: error })
    : new ServiceError('internal', { detail: 'Something went wrong here.', internal: error });
}

const unconfirmedPart =
  'The database did not confirm this operation: it may be stored. Read before you send it again; an Idempotency-Key makes it safe to ' +
  'repeat a request.';

/** Performs operations in one transaction. @returns an outcome for each */
function performTogether(input: BulkInput, context: OperationContext): Promise<BulkOutcome[]> {
  return inTransaction(context, async (inner) => {
    const channel = await findWholeChannel(input.channel, inner);
    const targets = listWritable(input.operations, channel, context);
    await inner.services.db.entry.lockForWriting(channel, context.viewer, targets);
    if (!input.atomic) return performAll(input, inner);
    const results = await inner.services.db.transaction.undoable(
      () => performAll(input, inner),
      (each) => each.every(isDone),
    );
    return results.every(isDone) ? results : results.map((each) => (isDone(each) ? notDone : each));
  });
}

/** Performs all operations in order. @returns an outcome for each */
async function performAll(input: BulkInput, context: InnerContext): Promise<BulkOutcome[]> {
  const results: BulkOutcome[] = [];
  while (results.length < input.operations.length) {
    results.push(...(await performNext(input.operations.slice(results.length), input, context)));
    // Refused operations may run without any I/O: yield to the event loop, so that they do not block other requests.
    await nextTurn();
  }
  return results;
}

/**
 * Performs the first of some operations, or all creates at their beginning that can be stored together.
 * @returns the outcomes of the performed ones: at least one
 */
async function performNext(
  operations: readonly BulkOperation[],
  { channel, useAcl }: BulkInput,
  context: InnerContext,
): Promise<BulkOutcome[]> {
  const payloads: PayloadArguments[] = [];
  for (const operation of operations) {
    if (operation.does === 'create') payloads.push(operation.payload);
    else if (payloads.length === 0) return [await performOne(operation, { channel, useAcl }, context)];
    else break;
  }
  const created = await orRefusal(() => perform(createEntries, { channel, useAcl, payloads }, context));
  if (created instanceof ServiceError) return payloads.map(() => asRefused(created));
  return created.map((entry) => (entry instanceof ServiceError ? asRefused(entry) : { status: 201, entry }));
}

/** Performs one operation. @throws any error that is not a refusal: it fails the whole request */
async function performOne(
  operation: Exclude<BulkOperation, { does: 'create' }>,
  place: Pick<BulkInput, 'channel' | 'useAcl'>,
  context: InnerContext,
): Promise<BulkOutcome> {
  const result = await orRefusal(async () => {
    switch (operation.does) {
      case 'update': {
        const { id, version, payload } = operation;
        return { status: 200, entry: await perform(updateEntry, { ...place, id, ...version, ...payload }, context) };
      }
      case 'delete':
        await perform(deleteEntry, { ...place, id: operation.id, ...operation.version }, context);
        return { status: 204 };
      case 'publish': {
        const { id, version, publication } = operation;
        return {
          status: 200,
          entry: await perform(publishEntry, { ...place, id, ...version, ...publication }, context),
        };
      }
      case 'unpublish': {
        const { id, version, publication } = operation;
        const args = { ...place, id, ...version, ...publication };
        return { status: 200, entry: await perform(unpublishEntry, args, context) };
      }
      case 'nothing':
        throw operation.refusal;
    }
  });
  return result instanceof ServiceError ? asRefused(result) : result;
}

function isDone({ error }: BulkOutcome): boolean {
  return error === undefined;
}

function asRefused(error: ServiceError): BulkOutcome {
  return { status: error.status, error };
}

const notDone = asRefused(
  new ServiceError('conflict', {
    detail: 'This operation was not carried out, because another one of the atomic request was refused.',
    errors: [{ field: 'atomic', code: 'not_done', message: 'another operation was refused' }],
  }),
);
