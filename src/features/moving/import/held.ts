// The transactions of an import's steps: each is stored only while the import owns the incomplete site. The site is
// hidden until it is complete, and only then is there a record of it (docs/contract.md §13.6).
import type { Context } from '../../../resolvers/context.ts';
import type { DatabaseClient } from '../../../database/client.ts';
import { transact } from '../../../database/transaction.ts';
import { clientWithin, type TransactionClient } from '../../../entries/clients/transactionClient.ts';
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

/** An import, and its site. */
export interface ImportName {
  readonly id: string;
  readonly importing: string;
}

/**
 * Stores rows of an import in one transaction.
 * @param work returns the changes that the audit log records
 * @throws conflict if the import no longer owns the site; errors of `work`: nothing is stored then
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
 * Locks the site of an import until the transaction ends. It writes nothing: on Citus a transaction that writes to the
 * sites, on the coordinator, and to the rows of a site, on its worker, is committed in two phases, and cannot send
 * notifications.
 * @returns false if the import does not own the site
 */
async function lockImported(db: TransactionClient, { id, importing }: ImportName): Promise<boolean> {
  const locked = await db.$queryRaw<unknown[]>`
    SELECT s.id FROM sites s WHERE s.id = ${id} AND s.importing = ${importing}::uuid FOR UPDATE`;
  return locked.length > 0;
}

/** The new owner of an incomplete site; `importingAt` is absent if this does not count as a write of an import. */
interface TakenSite {
  readonly importing: string;
  readonly importingAt?: Date;
}

/**
 * Deletes one batch of the rows of an incomplete import, and the site once nothing else is left. It takes the site over
 * before, and locks it meanwhile, so that the import stores nothing more, and cannot become complete.
 * @param incomplete the site, and its state; its new state is `taken`
 * @param from the kind of rows that the previous call deleted
 * @returns `isDone` also if the site is deleted or in another state, such as complete: nothing is deleted then
 */
export async function deleteImported(
  db: Pick<DatabaseClient, '$transaction'>,
  incomplete: Prisma.SiteWhereInput & { readonly id: string },
  takenOver: TakenSite,
  from: DeletionProgress['from'],
): Promise<DeletedPart> {
  const isTaken = await writeSite(db, incomplete, takenOver);
  return deleteUnlessLocked(() =>
    transact(db, async (transaction) => {
      const client = clientWithin(transaction);
      const isLocked = isTaken && (await lockImported(client, { id: incomplete.id, importing: takenOver.importing }));
      if (!isLocked) return { kind: null, count: 0, isDone: true };
      return deleteSiteRows(client, incomplete.id, { from, deleteLast: () => deleteEmptySite(client, incomplete.id) });
    }),
  );
}

const incomplete = { importing: { not: null } };
