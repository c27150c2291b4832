// Many writes in one request and one transaction (docs/contract.md §5, §7). Each is the single operation, after those before
// it; creates that follow each other are stored together. A refusal comes before its operation has written anything, so
// that it leaves nothing to undo.
import { setImmediate } from 'node:timers/promises';
import { orRefusal, ServiceError } from '../../errors.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { parseBulk, type BulkArguments, type BulkInput, type BulkOperation } from '../../inputs/bulk.ts';
import type { PayloadArguments } from '../../inputs/payload.ts';
import { anyToken } from '../../rules/callers.ts';
import { entryKey } from '../../rules/names.ts';
import type { PublicEntry, Reader } from '../../serializers/entry.ts';
import { findChannel } from '../load.ts';
import { authorizedByLoad, perform, type Operation } from '../perform.ts';
import { stubsOnly } from '../../inputs/selection.ts';
import { embedReferences } from '../references/embed.ts';
import { inTransaction, type InnerContext } from '../transaction.ts';
import { createEntries } from './createMany.ts';
import { deleteEntry } from './delete.ts';
import { updateEntry } from './update.ts';

/** What became of an operation: its status in REST, and the entry, or why it was refused. */
export interface BulkOutcome {
  readonly status: number;
  readonly entry?: PublicEntry;
  readonly error?: ServiceError;
}

export interface BulkResult {
  readonly results: BulkOutcome[];
}

export const bulkEntries: Operation<
  BulkArguments,
  BulkInput & { followed: boolean },
  Channel,
  BulkOutcome[],
  BulkResult
> = {
  callers: anyToken,

  countOperations: ({ operations }) => operations.length,

  // In GraphQL its fields follow the references.
  parse: (args) => ({ ...parseBulk(args), followed: 'body' in args }),

  load: ({ channel }, context) => findChannel(channel, context),

  // Each operation decides for itself.
  authorize: authorizedByLoad,

  run: (_channel, input, context) =>
    inTransaction(context, async (inner) => {
      const keys = input.operations.flatMap((each) => ('id' in each ? (entryKey(each.id) ?? []) : []));
      await inner.db.entry.lockForWriting(await findChannel(input.channel, { ...inner, attempt: 0 }), keys);
      if (!input.atomic) return performAll(input, inner);
      const results = await inner.db.undoable(
        () => performAll(input, inner),
        (each) => each.every(isDone),
      );
      return results.every(isDone) ? results : results.map((each) => (isDone(each) ? notDone : each));
    }),

  present: async (done, _channel, { followed }, context) => {
    // The transaction is over: from here on references are followed outside of it, for all entries together.
    const results = done.map((each) => (each.entry ? { ...each, entry: withReader(each.entry, context) } : each));
    if (!followed) return { results };
    const entries = results.flatMap(({ entry }) => entry ?? []);
    const embedded = (await embedReferences(entries, stubsOnly)).values();
    return {
      results: results.map((each) => (each.entry ? { ...each, entry: embedded.next().value ?? each.entry } : each)),
    };
  },
};

function withReader(entry: PublicEntry, reader: Reader): PublicEntry {
  return { ...entry, origin: { ...entry.origin, reader } };
}

/** Performs all operations, in their order. */
async function performAll(input: BulkInput, context: InnerContext): Promise<BulkOutcome[]> {
  const results: BulkOutcome[] = [];
  while (results.length < input.operations.length) {
    results.push(...(await performNext(input.operations.slice(results.length), input, context)));
    // Operations that are refused wait for nothing: let other requests have their turn between them.
    await setImmediate();
  }
  return results;
}

/** Performs the first of some operations: as many creates as can be stored together, else one. */
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

/** Performs an operation. An error that is not a refusal fails the whole request. */
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
    detail: 'Nothing was done, since another operation of the request was refused.',
    errors: [{ field: 'atomic', code: 'not_done', message: 'another operation was refused' }],
  }),
);
