// Deletes the rows of a site, batch by batch: for its deletion, and for an unfinished import.
import { isForeignKeyViolation, mayRetryTransaction } from '../../database/databaseErrors.ts';
import { allTables, type BatchModel } from '../../database/tables.ts';
import { batchDeletions } from './siteRows.ts';
import type { EntryClient, OperationClient } from '../../entries/model.ts';

/** The rows that one call deleted. */
export interface DeletedPart {
  /** Their kind; null if there were none that could be deleted now. */
  readonly kind: string | null;
  readonly count: number;
  /** Whether the site itself is deleted. */
  readonly isDone: boolean;
}

/** The progress that one call passes to the next. */
export interface DeletionProgress {
  readonly from?: string | null | undefined;
}

interface Deletion extends DeletionProgress {
  readonly deleteLast: () => Promise<unknown>;
}

/** Number of rows that one call deletes. */
const maxDeletedAtOnce = 500;

/** Deletes one batch of the rows of one kind. @returns the number of deleted rows */
type DeleteRows = (db: OperationClient, siteId: string, limit: number) => Promise<number>;

/** The kinds of rows of a site, in an order that the foreign keys allow: that of the tables. */
const kinds = allTables.flatMap(({ model, deletion }): (readonly [kind: string, deleteRows: DeleteRows])[] => {
  if (deletion.by === 'entryModel')
    return [[deletion.kind, (db, siteId, limit) => db.entry.deleteUnchecked(siteId, limit)]];
  return deletion.by === 'batches' ? [[deletion.kind, batchDeletions[model as BatchModel]]] : [];
});

/**
 * Deletes one batch of a site's rows, and the site itself once nothing else is left.
 * @param deletion `deleteLast` deletes the site itself; `from` is the kind that the previous call deleted, absent or
 * null for the first call: scanning for earlier kinds would read all deleted rows until they are vacuumed
 */
export async function deleteSiteRows(
  db: OperationClient,
  siteId: string,
  { from, deleteLast }: Deletion,
): Promise<DeletedPart> {
  const start = Math.max(
    0,
    kinds.findIndex(([kind]) => kind === from),
  );
  for (const [kind, deleteRows] of kinds.slice(start)) {
    const count = await deleteRows(db, siteId, maxDeletedAtOnce);
    if (count > 0) return { kind, count, isDone: false };
  }
  // Where the tables are distributed, no foreign key protects a site that has rows: the call that deletes it has
  // scanned for all kinds.
  if (start > 0) return { kind: null, count: 0, isDone: false };
  await deleteLast();
  return { kind: null, count: 0, isDone: true };
}

/** Deletes a batch of a site. @returns nothing deleted if other transactions lock rows: the next call deletes them */
export async function deleteUnlessLocked(deletePart: () => Promise<DeletedPart>): Promise<DeletedPart> {
  try {
    return await deletePart();
  } catch (error) {
    // Another transaction locks rows, or a concurrent request has stored some: the next call, which scans for all
    // kinds, deletes them.
    if (mayRetryTransaction(error) || isForeignKeyViolation(error)) return { kind: null, count: 0, isDone: false };
    throw error;
  }
}

/** Deletes a site of which nothing else is left. @returns whether it existed */
export async function deleteEmptySite(db: Pick<EntryClient, 'changeFeed' | 'site'>, id: string): Promise<boolean> {
  await db.changeFeed.deleteMany({ where: { siteId: id } });
  return (await db.site.deleteMany({ where: { id } })).count > 0;
}
