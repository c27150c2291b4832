// The Prisma model `entry` of the service. Instead of Prisma's own methods it has methods that apply the access
// predicate of predicate.ts, or have `Unchecked` in their names. There is no other way to an entry's row: outside this
// folder, src/ neither calls Prisma's methods nor names the table (eslint.config.js,
// test/pure/unit/entryModel.test.ts).
import type { DatabaseClient, ReadingClient } from '../database/client.ts';
import { clientOn, PlainRunner } from '../database/modelClient.ts';
import type { EntryStatements } from '../database/statements.ts';
import { lockForWriting } from './sql/lockEntries.ts';
import { findOutdated, markDerived, storeDerived } from './redefinition/outdated.ts';
import * as reads from './sql/read.ts';
import type { ModelContext } from './modelContext.ts';
import { dropChanges, findUnassigned, listChanges, assignPositions, readFeeds } from './feed/readChanges.ts';
import { findReferable, findVisibleByIds } from './sql/readReferences.ts';
import { findSightDifferences } from './redefinition/scopePreview.ts';
import { measureChannel } from './scanCost.ts';
import type { SharedCounts } from './sharedCounts.ts';
import { announceDue } from './feed/sightChanges.ts';
import { deleteUnchecked } from './whole.ts';
import { insertDraft } from './sql/create.ts';
import { deleteIf, findTakenIds, findTakenValues, insertDrafts, updateIf } from './sql/write.ts';

const entryMethods = {
  findVisible: reads.findVisible,
  findForWrite: reads.findForWrite,
  listVisible: reads.listVisible,
  findPosition: reads.findPosition,
  countVisible: reads.countVisible,
  hasVisible: reads.hasVisible,
  findVisibleByIds,
  findSightDifferences,
  findReferable,
  findTakenSlugs: reads.findTakenSlugs,
  findTakenIds,
  findTakenValues,
  countHiddenFromPublic: reads.countHiddenFromPublic,
  insertDraft,
  insertDrafts,
  updateIf,
  deleteIf,
  lockForWriting,
  measureChannel,
  findOutdated,
  storeDerived,
  markDerived,
  deleteUnchecked,

  assignPositions,
  findUnassigned,
  readFeeds,
  listChanges,
  dropChanges,
  announceDue,
};

export type EntryModel = {
  readonly [Method in keyof typeof entryMethods]: OmitThisParameter<(typeof entryMethods)[Method]>;
};

/** The database client with the model `entry`. */
export type EntryClient = DatabaseClient & { readonly entry: EntryModel };

/** The client without Prisma's methods that write: operations write management data only through `manage`. */
export type OperationClient = ReadingClient & { readonly entry: EntryModel };

/** Replaces Prisma's own model by this one. */
export function withEntries(client: DatabaseClient, statements: EntryStatements): EntryClient {
  return clientOn(new PlainRunner(client), { entry: entriesOn(statements) });
}

/** The model on a runner of statements. */
class EntryMethods implements ModelContext {
  readonly statements: EntryStatements;
  readonly counts: SharedCounts | null;
  readonly creates: ModelContext['creates'];

  constructor({ statements, counts, creates }: ModelContext) {
    this.statements = statements;
    this.counts = counts;
    this.creates = creates;
  }
}
Object.assign(EntryMethods.prototype, entryMethods);

/**
 * Creates the model on a runner of statements.
 * @param shared the parts that models have in common; absent to count each total, and to store each new entry alone
 */
export function entriesOn(
  statements: EntryStatements,
  { counts, creates }: Omit<ModelContext, 'statements'> = { counts: null, creates: null },
): EntryModel {
  return new EntryMethods({ statements, counts, creates }) as EntryMethods & typeof entryMethods;
}
