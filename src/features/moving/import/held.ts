// What the steps of an import share: each is stored only while the incomplete site is still that import's. Nobody sees the site
// until it is complete, and only then is there a record of it (docs/contract.md §13.6).
import type { Context } from '../../../resolvers/context.ts';
import type { DatabaseClient } from '../../../database/client.ts';
import { transact } from '../../../database/transaction.ts';
import { clientWithin, type TransactionClient } from '../../../entries/transactionClient.ts';
import { fail } from '../../../base/errors.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { manage, type ManagedChange } from '../../../management/manage.ts';
import {
  deleteEmptySite,
  deleteSiteRows,
  deleteUnlessLocked,
  type DeletedPart,
  type DeletionProgress,
} from '../../../management/sites/deleteRows.ts';

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
  const isHeld = await writeSite(context.services.db, name, { importingAt: context.now });
  await manage(context, async ({ db }) => {
    if (!isHeld || !(await lockImported(db, name)))
      fail('conflict', `The site "${name.id}" is not this import's any more: it was deleted, or imported again.`);
    return { result: null, changes: await work(db) };
  });
}

/** Changes an incomplete site, in a transaction of its own. @returns whether a site matched */
async function writeSite(
  db: Pick<DatabaseClient, '$transaction'>,
  where: Prisma.SiteWhereInput,
  data: Partial<TakenSite>,
): Promise<boolean> {
  const { count } = await transact(db, (transaction) =>
    clientWithin(transaction).site.updateMany({ where: { AND: [where, incomplete] }, data }),
  );
  return count > 0;
}

/**
 * Locks the site of an import until the transaction ends. It writes nothing: on Citus a transaction that writes to the sites, on the
 * coordinator, and to the rows of a site, on its worker, is committed in two phases, and must not notify anybody of changes.
 * @returns false where the site is not the import's
 */
async function lockImported(db: TransactionClient, { id, importing }: ImportName): Promise<boolean> {
  const locked = await db.$queryRaw<unknown[]>`
    SELECT s.id FROM sites s WHERE s.id = ${id} AND s.importing = ${importing}::uuid FOR UPDATE`;
  return locked.length > 0;
}

/** Who has an incomplete site from now on; `importingAt` is absent where that is not to count as a write of an import. */
interface TakenSite {
  readonly importing: string;
  readonly importingAt?: Date;
}

/**
 * Deletes one batch of the rows that an incomplete import has stored, and the site once nothing else is left. It takes the site
 * over before, and locks it meanwhile, so that the import stores nothing more, and cannot become complete.
 * @param left which site, and in which state; it gets the state `taken`
 * @param from the kind of rows that the call before has deleted
 * @returns `isDone` too where the site is gone or in another state, such as complete: nothing is deleted then
 */
export async function deleteImported(
  db: Pick<DatabaseClient, '$transaction'>,
  left: Prisma.SiteWhereInput & { readonly id: string },
  taken: TakenSite,
  from: DeletionProgress['from'],
): Promise<DeletedPart> {
  const isTaken = await writeSite(db, left, taken);
  return deleteUnlessLocked(() =>
    transact(db, async (transaction) => {
      const client = clientWithin(transaction);
      const isLocked = isTaken && (await lockImported(client, { id: left.id, importing: taken.importing }));
      if (!isLocked) return { kind: null, count: 0, isDone: true };
      return deleteSiteRows(client, left.id, { from, deleteLast: () => deleteEmptySite(client, left.id) });
    }),
  );
}

const incomplete = { importing: { not: null } };
