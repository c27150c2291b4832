// The Prisma model `entry` of the service. In place of Prisma's own methods it has methods that apply the access
// predicate of predicate.ts, or have `Unchecked` in their names. There is no other way to an entry's row: outside this
// folder, src/ neither calls Prisma's methods nor names the table (eslint.config.js,
// test/pure/unit/entryModel.test.ts).
import type { DatabaseClient } from '../database/client.ts';
import type { Statements, Transaction } from '../database/transaction.ts';
import { lockForWriting } from './lockEntries.ts';
import { findOutdated, markDerived, storeDerived } from './outdated.ts';
import * as reads from './read.ts';
import { findReferable, findVisibleByIds } from './read.ts';
import { measureChannel } from './scanCost.ts';
import { deleteIf, findTakenValues, insertDrafts, updateIf } from './write.ts';

const entryMethods = {
  findVisible: reads.findVisible,
  findUnchecked: reads.findUnchecked,
  listVisible: reads.listVisible,
  findPosition: reads.findPosition,
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
  measureChannel,
  findOutdated,
  storeDerived,
  markDerived,
};

export type EntryModel = {
  readonly [Method in keyof typeof entryMethods]: OmitThisParameter<(typeof entryMethods)[Method]>;
};

/** The database client with the model `entry`. */
export type EntryClient = DatabaseClient & { readonly entry: EntryModel };

/** A transaction with the model `entry`. */
export type EntryTransaction = Transaction & { readonly entry: EntryModel };

/** Adds the model to Prisma's client. Prisma gives its interactive transactions the methods, too. */
export function withEntries(client: DatabaseClient): EntryClient {
  // The type of an extended client also has Prisma's own methods: the cast hides them, because nobody may call them.
  return client.$extends({ name: 'entries', model: { entry: entryMethods } }) as unknown as EntryClient;
}

/** Creates the model on anything that runs statements, such as a transaction. */
export function entriesOn(statements: Statements): EntryModel {
  return Object.assign({ $parent: statements }, entryMethods);
}

/** Adds the model to a transaction, which is changed and returned. */
export function withEntriesIn(transaction: Transaction): EntryTransaction {
  return Object.assign(transaction, { entry: entriesOn(transaction) });
}
