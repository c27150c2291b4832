// What the steps of an import share: each is stored only while the incomplete site is still that import's. Nobody sees the site
// until it is complete, and only then is there a record of it (docs/contract.md §13.6).
import type { Context } from '../../../context.ts';
import type { TransactionClient } from '../../../entries/transactionClient.ts';
import { fail } from '../../../errors.ts';
import { manage, type ManagedChange } from '../../manage.ts';
import { deleteEmptySite, deleteSiteRows, type DeletedPart, type DeletionProgress } from '../deleteRows.ts';

/** An import, and the site that it writes. */
export interface ImportName {
  readonly id: string;
  readonly importing: string;
}

/**
 * Stores something of an import in one transaction.
 * @param work returns the changes that the audit log records
 * @throws conflict where the site is not this import's any more; what `work` throws: nothing is stored then
 */
export async function storeImported(
  context: Context,
  name: ImportName,
  work: (db: TransactionClient) => Promise<readonly ManagedChange[]>,
): Promise<void> {
  await manage(context, async ({ db }) => {
    if (!(await holdImported(db, name, context.now)))
      fail('conflict', `The site "${name.id}" is not this import's any more: it was deleted, or imported again.`);
    return { result: null, changes: await work(db) };
  });
}

/** Notes that an import goes on. @returns false where the site is not this import's */
export async function holdImported(
  db: Pick<TransactionClient, 'site'>,
  { id, importing }: ImportName,
  now: Date,
): Promise<boolean> {
  const { count } = await db.site.updateMany({ where: { id, importing }, data: { importingAt: now } });
  return count > 0;
}

/** Deletes one batch of what an import has stored that is not complete, and the site once nothing else is left. */
export function deleteImported(context: Context, id: string, from: DeletionProgress['from']): Promise<DeletedPart> {
  const deleteLast = (): Promise<boolean> =>
    manage(context, async ({ db }) => ({ result: await deleteEmptySite(db, id), changes: [] }));
  return deleteSiteRows(context.db, id, { from, deleteLast });
}
