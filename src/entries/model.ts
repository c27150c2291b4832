// The Prisma model `entry` as the service knows it: methods that apply the rule of predicate.ts, or say `Unchecked`, in place of
// Prisma's own. There is no other way to an entry's row: src/ outside this folder neither calls the plain methods nor names the
// table (eslint.config.js, test/pure/unit/entryModel.test.ts).
import type { DatabaseClient } from '../database/client.ts';
import type { Statements, Transaction } from '../database/transaction.ts';
import { lockForWriting } from './lockEntries.ts';
import { findOutdated, markDerived, storeDerived } from './outdated.ts';
import * as reads from './read.ts';
import { findReferable, findVisibleByIds } from './read.ts';
import { deleteIf, findTakenValues, insertDrafts, updateIf } from './write.ts';

const entryMethods = {
  findVisible: reads.findVisible,
  findUnchecked: reads.findUnchecked,
  listVisible: reads.listVisible,
  countVisible: reads.countVisible,
  findVisibleByIds,
  findReferable,
  findTakenSlugs: reads.findTakenSlugs,
  findTakenValues,
  countHiddenFromPublic: reads.countHiddenFromPublic,
  insertDrafts,
  updateIf,
  deleteIf,
  lockForWriting,
  findOutdated,
  storeDerived,
  markDerived,
};

export type EntryModel = {
  readonly [Method in keyof typeof entryMethods]: OmitThisParameter<(typeof entryMethods)[Method]>;
};

/** The client of the service. */
export type EntryClient = DatabaseClient & { readonly entry: EntryModel };

/** A transaction in which entries are reached in the same way. */
export type EntryTransaction = Transaction & { readonly entry: EntryModel };

/** Extends Prisma's client. Its interactive transactions have the methods too, on the transaction. */
export function withEntries(client: DatabaseClient): EntryClient {
  // The type of an extended client has Prisma's own methods beside ours, which nobody is to call.
  return client.$extends({ name: 'entries', model: { entry: entryMethods } }) as unknown as EntryClient;
}

/** The model over anything that runs statements, such as a transaction. */
export function entriesOn(statements: Statements): EntryModel {
  return Object.assign({ $parent: statements }, entryMethods);
}

/** Gives a transaction the model. */
export function withEntriesIn(transaction: Transaction): EntryTransaction {
  return Object.assign(transaction, { entry: entriesOn(transaction) });
}
