// Begins to import a site: creates it, hidden until the import is complete. Rows of an earlier, stopped import are
// deleted first, a batch with each call. Only the command line has this operation (docs/contract.md §12.4).
import type { TransactionClient } from '../../../entries/clients/transactionClient.ts';
import { fail } from '../../../base/errors.ts';
import { operators } from '../../../rules/callers.ts';
import { manage } from '../../../management/manage.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import type { DeletionProgress } from '../../../management/sites/deleteRows.ts';
import { deleteImported } from './held.ts';

interface ImportedSite {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** The id of the import. */
  readonly importing: string;
}

type BeginImportArguments = ImportedSite & DeletionProgress;

/**
 * `begun`: the import may send rows now. Otherwise the call has to be repeated. `clearing`: some of the rows of an
 * earlier import were deleted. `busy`: the earlier import may still be under way, or its rows are locked.
 */
interface Begun {
  readonly state: 'begun' | 'clearing' | 'busy';
  /** The kind of rows that was deleted, from which the next call continues. */
  readonly kind?: string | null;
}

/** Time since its last write after which an import is no longer under way. */
const maxSilence = 10_000;

export const beginSiteImport: ManagementOperation<{ args: BeginImportArguments; done: Begun }> = {
  name: 'beginSiteImport',
  callers: operators,

  run: async ({ from, ...site }, context) => {
    const state = await manage(context, async ({ db }) => ({
      result: await beginOrTakeOver(db, site, context.now),
      changes: [],
    }));
    if (state !== 'left') return { state };
    const { id, importing } = site;
    const takenOver = { importing, importingAt: context.now };
    const { kind, isDone } = await deleteImported(context.services.db, { id, importing }, takenOver, from);
    return kind !== null || isDone ? { state: 'clearing', kind } : { state: 'busy' };
  },
};

/**
 * Creates the incomplete site, or takes it over from a stopped import.
 * @returns `left`: that import's rows have to be deleted; `busy`: it may still be under way
 * @throws conflict if the site is complete
 */
async function beginOrTakeOver(
  db: TransactionClient,
  site: ImportedSite,
  now: Date,
): Promise<'begun' | 'busy' | 'left'> {
  const { count: created } = await db.site.createMany({ data: [{ ...site, importingAt: now }], skipDuplicates: true });
  if (created > 0) return 'begun';
  const { id, importing } = site;
  const existing = await db.site.findUnique({ where: { id } });
  if (existing === null) return 'busy';
  if (existing.importing === null) {
    fail(
      'conflict',
      `There is a site "${id}" already: import under another id with --as, or delete that one: entryway site delete ${id} --confirm ${id}`,
    );
  }
  const idleSince = new Date(now.getTime() - maxSilence);
  const isLeft = { OR: [{ importing }, { importingAt: null }, { importingAt: { lt: idleSince } }] };
  const { count } = await db.site.updateMany({
    where: { id, importing: { not: null }, ...isLeft },
    data: { importing, importingAt: now },
  });
  return count > 0 ? 'left' : 'busy';
}
