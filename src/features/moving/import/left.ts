// Deletes the rows of stopped imports that were not begun again: in the background, some batches at a time.
import { randomUUID } from 'node:crypto';
import type { EntryClient } from '../../../entries/model.ts';
import type { DeletedPart } from '../../../management/sites/deleteRows.ts';
import { deleteImported } from './held.ts';

/** Time since its last write after which an import is abandoned. */
const maxIdleMilliseconds = 60 * 60_000;
const maxBatches = 50;

/**
 * Deletes some of the rows of incomplete imports.
 * @param sites the sites to check
 * @param limit the result if there may be more
 */
export async function deleteLeftImports(
  db: EntryClient,
  sites: readonly string[],
  now: Date,
  limit: number,
): Promise<number> {
  const idleSince = new Date(now.getTime() - maxIdleMilliseconds);
  const incomplete = await db.site.findMany({
    where: { id: { in: [...sites] }, importing: { not: null }, importingAt: { lt: idleSince } },
    select: { id: true, importing: true, importingAt: true },
  });
  let batches = 0;
  for (const { id, importing, importingAt } of incomplete) {
    // The time stays unchanged, so that another import of the site takes it over at once, and a stopped sweep finds it
    // again.
    const newOwner = randomUUID();
    const isLeft = { OR: [{ importing, importingAt }, { importing: newOwner }] };
    for (let from: string | null = null; ;) {
      const { kind }: DeletedPart = await deleteImported(db, { id, ...isLeft }, { importing: newOwner }, from);
      if (kind === null) break;
      from = kind;
      batches += 1;
      if (batches === maxBatches) return limit;
    }
  }
  return 0;
}
