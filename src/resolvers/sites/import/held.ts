// What the steps of an import share: each is stored only while the incomplete site is still that import's.
import type { EntryClient, EntryTransaction } from '../../../entries/model.ts';
import { withEntriesIn } from '../../../entries/model.ts';
import { transact } from '../../../database/transaction.ts';
import { fail } from '../../../errors.ts';

/** An import, and the site that it writes. */
export interface ImportName {
  readonly id: string;
  readonly importing: string;
}

/**
 * Stores something of an import in one transaction.
 * @throws conflict where the site is not this import's any more; what `work` throws: nothing is stored then
 */
export async function storeImported<Result>(
  db: EntryClient,
  { id, importing }: ImportName,
  now: Date,
  work: (transaction: EntryTransaction) => Promise<Result>,
): Promise<Result> {
  return transact(db, async (transaction) => {
    const { count } = await transaction.statement(({ site }) =>
      site.updateMany({ where: { id, importing }, data: { importingAt: now } }),
    );
    if (count === 0)
      fail('conflict', `The site "${id}" is not this import's any more: it was deleted, or imported again.`);
    return work(withEntriesIn(transaction));
  });
}
