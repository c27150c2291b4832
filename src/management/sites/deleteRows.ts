// Deletes what belongs to a site, batch by batch: for its deletion, and for an import that was not finished.
import { isForeignKeyViolation, mayRetryTransaction } from '../../database/databaseErrors.ts';
import { allTables, type BatchModel } from '../../database/tables.ts';
import { batchDeletions } from './siteRows.ts';
import type { EntryClient, OperationClient } from '../../entries/model.ts';

/** What one call deleted. */
export interface DeletedPart {
  /** What the rows are; null where there were none that could be deleted now. */
  readonly kind: string | null;
  readonly count: number;
  /** Whether the site itself is gone. */
  readonly isDone: boolean;
}

/** How a call goes on with a deletion. */
export interface DeletionProgress {
  readonly from?: string | null | undefined;
}

interface Deletion extends DeletionProgress {
  readonly deleteLast: () => Promise<unknown>;
}

/** How many rows one call deletes. */
const maxDeletedAtOnce = 500;

/** Deletes one batch of the rows of one kind. @returns how many there were */
type DeleteRows = (db: OperationClient, siteId: string, limit: number) => Promise<number>;

/** What belongs to a site, in an order that its foreign keys allow: that of the tables. */
const parts = allTables.flatMap(({ model, deletion }): (readonly [kind: string, deleteRows: DeleteRows])[] => {
  if (deletion.by === 'entryModel')
    return [[deletion.kind, (db, siteId, limit) => db.entry.deleteUnchecked(siteId, limit)]];
  return deletion.by === 'batches' ? [[deletion.kind, batchDeletions[model as BatchModel]]] : [];
});

/**
 * Deletes one batch of a site's rows, and the site itself once nothing else is left.
 * @param deletion `deleteLast` deletes the site itself; `from` is the kind that the call before has deleted, absent or null for
 *   the first one: to look again for those before it would read all that was deleted, until it is vacuumed
 */
export async function deleteSiteRows(
  db: OperationClient,
  siteId: string,
  { from, deleteLast }: Deletion,
): Promise<DeletedPart> {
  const start = Math.max(
    0,
    parts.findIndex(([kind]) => kind === from),
  );
  for (const [kind, deleteRows] of parts.slice(start)) {
    const count = await deleteRows(db, siteId, maxDeletedAtOnce);
    if (count > 0) return { kind, count, isDone: false };
  }
  // Where the tables are distributed, no foreign key keeps a site that has rows: the call that deletes it has looked for all kinds.
  if (start > 0) return { kind: null, count: 0, isDone: false };
  await deleteLast();
  return { kind: null, count: 0, isDone: true };
}

/** Deletes a part of a site. @returns nothing deleted where other transactions lock rows: the next call deletes them */
export async function deleteUnlessLocked(deletePart: () => Promise<DeletedPart>): Promise<DeletedPart> {
  try {
    return await deletePart();
  } catch (error) {
    // Another transaction locks rows, or a request that was under way has stored some: the next call, which looks for all kinds,
    // deletes them.
    if (mayRetryTransaction(error) || isForeignKeyViolation(error)) return { kind: null, count: 0, isDone: false };
    throw error;
  }
}

/** Deletes a site of which nothing else is left. @returns whether it was there */
export async function deleteEmptySite(db: Pick<EntryClient, 'changeFeed' | 'site'>, id: string): Promise<boolean> {
  await db.changeFeed.deleteMany({ where: { siteId: id } });
  return (await db.site.deleteMany({ where: { id } })).count > 0;
}
