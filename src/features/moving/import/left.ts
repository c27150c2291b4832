// Deletes what imports have left that were stopped, and that nobody began again: in the background, some batches at a time.
import { randomUUID } from 'node:crypto';
import type { EntryClient } from '../../../entries/model.ts';
import type { DeletedPart } from '../../../management/sites/deleteRows.ts';
import { deleteImported } from './held.ts';

/** An import that wrote nothing for so long is not under way any more. */
const maxIdleMilliseconds = 60 * 60_000;
const maxBatches = 50;

/**
 * Deletes some of the rows that incomplete imports have left.
 * @param sites those that are looked at
 * @param limit what is returned where there may be more
 */
export async function deleteLeftImports(
  db: EntryClient,
  sites: readonly string[],
  now: Date,
  limit: number,
): Promise<number> {
  const idleSince = new Date(now.getTime() - maxIdleMilliseconds);
  const left = await db.site.findMany({
    where: { id: { in: [...sites] }, importing: { not: null }, importingAt: { lt: idleSince } },
    select: { id: true, importing: true, importingAt: true },
  });
  let batches = 0;
  for (const { id, importing, importingAt } of left) {
    // The time stays as it is, so that another import of the site takes it over at once, and a stopped sweep finds it again.
    const taken = randomUUID();
    const isLeft = { OR: [{ importing, importingAt }, { importing: taken }] };
    for (let from: string | null = null; ;) {
      const { kind }: DeletedPart = await deleteImported(db, { id, ...isLeft }, { importing: taken }, from);
      if (kind === null) break;
      from = kind;
      batches += 1;
      if (batches === maxBatches) return limit;
    }
  }
  return 0;
}
