// Deletes what belongs to a site, batch by batch: for its deletion, and for an import that was not finished.
import { isForeignKeyViolation, mayRetryTransaction } from '../../database/databaseErrors.ts';
import {
  deleteChanges,
  deleteChannels,
  deleteCustomers,
  deleteResponses,
  deleteSessions,
  deleteWebhooks,
} from '../../database/siteRows.ts';
import type { EntryClient } from '../../entries/model.ts';

/** What one call deleted. */
export interface DeletedPart {
  /** What the rows are; null where there were none that could be deleted now. */
  readonly kind: string | null;
  readonly count: number;
  /** Whether the site itself is gone. */
  readonly isDone: boolean;
}

/** How many rows one call deletes. */
const maxDeletedAtOnce = 500;

/** Deletes one batch of the rows of one kind. @returns how many there were */
type DeleteBatch = (db: EntryClient, siteId: string, limit: number) => Promise<number>;

/** What belongs to a site, in an order that its foreign keys allow. */
const parts: readonly (readonly [kind: string, deleteBatch: DeleteBatch])[] = [
  ['stored responses', deleteResponses],
  ['webhooks', deleteWebhooks],
  ['sessions', deleteSessions],
  ['entries', (db, siteId, limit) => db.entry.deleteUnchecked(siteId, limit)],
  ['channels', deleteChannels],
  ['changes', deleteChanges],
  ['customers', deleteCustomers],
  ['tokens', async (db, siteId, limit) => (await db.token.deleteMany({ where: { siteId }, limit })).count],
];

/**
 * Deletes one batch of what belongs to a site, and the site itself once nothing else is left.
 * @returns what was deleted; nothing where other transactions lock rows: the next call deletes them
 */
export async function deleteSiteRows(db: EntryClient, siteId: string): Promise<DeletedPart> {
  try {
    for (const [kind, deleteBatch] of parts) {
      const count = await deleteBatch(db, siteId, maxDeletedAtOnce);
      if (count > 0) return { kind, count, isDone: false };
    }
    await db.changeFeed.deleteMany({ where: { siteId } });
    await db.site.deleteMany({ where: { id: siteId } });
    return { kind: null, count: 0, isDone: true };
  } catch (error) {
    // Another transaction locks rows, or a request that was under way has stored some: the next call deletes them.
    if (mayRetryTransaction(error) || isForeignKeyViolation(error)) return { kind: null, count: 0, isDone: false };
    throw error;
  }
}
