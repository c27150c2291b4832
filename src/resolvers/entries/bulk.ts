// Many writes in one request and one transaction (docs/contract.md §5, §7). Each has the checks and the answer that it has by
// itself, after those before it; creates that follow each other are stored together. A refusal comes before its operation
// has written anything, so that it leaves nothing to undo.
import { setImmediate } from 'node:timers/promises';
import type { WriteContext } from '../../context.ts';
import { holdEntries } from '../../entries/lockEntries.ts';
import { orRefusal, ServiceError } from '../../errors.ts';
import type { EntryOperationInput, MutationBulkEntriesArgs } from '../../generated/graphql/types.ts';
import { checkNumber, graphqlOperation, type Operation } from '../../inputs/bulk.ts';
import { entryKey, type EntryKey } from '../../rules/slug.ts';
import type { PublicEntry } from '../../serializers/entry.ts';
import { createTogether } from './create.ts';
import { deleteEntry, updateEntry } from './update.ts';
import { channelNamed, type EntryPayload } from '../shared.ts';
import { inTransaction, type InnerContext } from '../transaction.ts';

/** What became of an operation: its status in REST, and the entry, or why it was refused. */
export interface Outcome {
  readonly status: number;
  readonly entry?: PublicEntry;
  readonly error?: ServiceError;
}

export interface BulkResult {
  readonly results: Outcome[];
}

/** The arguments of both doors: REST has understood its operations already. */
export type BulkArgs = Required<Omit<MutationBulkEntriesArgs, 'operations'>> & {
  readonly operations: readonly (Operation | EntryOperationInput)[];
};

/** Does all operations in their order. @returns the result of each */
export async function bulkEntries(_parent: unknown, args: BulkArgs, context: WriteContext): Promise<BulkResult> {
  checkNumber(args.operations.length);
  const operations = args.operations.map(understood);
  return inTransaction(context, async (inner) => {
    await holdEntries(inner.db, await channelNamed(inner, args.channel), operations.flatMap(keysOf));
    const run = async (): Promise<Outcome[]> => {
      const results: Outcome[] = [];
      while (results.length < operations.length) {
        results.push(...(await nextResults(operations.slice(results.length), args, inner)));
        // Operations that are refused wait for nothing: other requests have their turn between them.
        await setImmediate();
      }
      return results;
    };
    if (!args.atomic) return { results: await run() };
    const results = await inner.db.undoable(run, (each) => each.every(isDone));
    return { results: results.every(isDone) ? results : results.map((each) => (isDone(each) ? notDone : each)) };
  });
}

function understood(operation: Operation | EntryOperationInput): Operation {
  return 'does' in operation ? operation : graphqlOperation(operation);
}

/** What an operation names, if it names an entry. */
function keysOf(operation: Operation): EntryKey[] {
  const key = 'id' in operation ? entryKey(operation.id) : null;
  return key ? [key] : [];
}

function isDone({ error }: Outcome): boolean {
  return error === undefined;
}

const undone = new ServiceError('conflict', {
  detail: 'Nothing was done, since another operation of the request was refused.',
  errors: [{ field: 'atomic', code: 'not_done', message: 'another operation was refused' }],
});
const notDone = refused(undone);

/** The results of the first of some operations: of those that create entries, else of one. */
async function nextResults(
  operations: readonly Operation[],
  args: BulkArgs,
  context: InnerContext,
): Promise<Outcome[]> {
  const creates: EntryPayload[] = [];
  for (const operation of operations) {
    if (operation.does === 'create') creates.push(operation);
    else if (creates.length === 0) return [await resultOf(operation, args, context)];
    else break;
  }
  const created = await createTogether(args, creates, context);
  return created.map((entry) => (entry instanceof ServiceError ? refused(entry) : { status: 201, entry }));
}

/** An operation's result. What is no refusal fails the whole request. */
async function resultOf(
  operation: Exclude<Operation, { does: 'create' }>,
  { channel, useAcl }: BulkArgs,
  context: InnerContext,
): Promise<Outcome> {
  const result = await orRefusal(async () => {
    switch (operation.does) {
      case 'update':
        return { status: 200, entry: await updateEntry({}, { channel, useAcl, ...operation }, context) };
      case 'delete':
        await deleteEntry({}, { channel, useAcl, ...operation }, context);
        return { status: 204 };
      case 'nothing':
        throw operation.refusal;
    }
  });
  return result instanceof ServiceError ? refused(result) : result;
}

function refused(error: ServiceError): Outcome {
  return { status: error.status, error };
}
