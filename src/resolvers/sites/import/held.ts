// What the steps of an import share: each is stored only while the incomplete site is still that import's. Nobody sees the site
// until it is complete, and only then is there a record of it (docs/contract.md §13.6).
import type { Context } from '../../../context.ts';
import type { DatabaseClient } from '../../../database/client.ts';
import { transact } from '../../../database/transaction.ts';
import { withEntriesIn } from '../../../entries/model.ts';
import { clientWithin, type TransactionClient } from '../../../entries/transactionClient.ts';
import { fail } from '../../../errors.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { manage, type ManagedChange } from '../../manage.ts';
import {
  deleteEmptySite,
  deleteSiteRows,
  deleteUnlessLocked,
  type DeletedPart,
  type DeletionProgress,
} from '../deleteRows.ts';

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
async function holdImported(
  db: Pick<TransactionClient, 'site'>,
  { id, importing }: ImportName,
  now: Date,
): Promise<boolean> {
  const { count } = await db.site.updateMany({ where: { id, importing }, data: { importingAt: now } });
  return count > 0;
}

/** Who has an incomplete site from now on; `importingAt` is absent where that is not to count as a write of an import. */
interface TakenSite {
  readonly importing: string;
  readonly importingAt?: Date;
}

/**
 * Deletes one batch of the rows that an incomplete import has stored, and the site once nothing else is left. The same
 * transaction takes the site over and locks it, so that the import stores nothing more, and cannot become complete meanwhile.
 * @param left which site, and in which state; it gets the state `taken`
 * @param from the kind of rows that the call before has deleted
 * @returns `isDone` too where the site is gone or in another state, such as complete: nothing is deleted then
 */
export function deleteImported(
  db: Pick<DatabaseClient, '$transaction'>,
  left: Prisma.SiteWhereInput & { readonly id: string },
  taken: TakenSite,
  from: DeletionProgress['from'],
): Promise<DeletedPart> {
  return deleteUnlessLocked(() =>
    transact(db, async (transaction) => {
      const client = clientWithin(withEntriesIn(transaction));
      const { count } = await client.site.updateMany({ where: { AND: [left, incomplete] }, data: taken });
      if (count === 0) return { kind: null, count: 0, isDone: true };
      return deleteSiteRows(client, left.id, { from, deleteLast: () => deleteEmptySite(client, left.id) });
    }),
  );
}

const incomplete = { importing: { not: null } };
