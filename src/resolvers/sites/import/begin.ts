// Begins to import a site: makes it, hidden until the import is complete. What an earlier import has left that was stopped is
// deleted first, a batch with each call. Only the command line has this operation (docs/contract.md §12.4).
import type { Context } from '../../../context.ts';
import type { EntryClient } from '../../../entries/model.ts';
import { fail } from '../../../errors.ts';
import { operators } from '../../../rules/callers.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../../perform.ts';
import { deleteSiteRows } from '../deleteRows.ts';

interface BeginImportArguments {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** The id of the import. */
  readonly importing: string;
}

/**
 * `begun`: the import may send rows now. Else the call is to be made again. `clearing`: some of what an earlier import has left
 * was deleted. `busy`: that one may still be under way, or others lock its rows.
 */
interface Begun {
  readonly state: 'begun' | 'clearing' | 'busy';
}

/** An import that wrote this long ago at most may still be under way. */
const maxIdleMilliseconds = 10_000;

export const beginSiteImport: Operation<BeginImportArguments, BeginImportArguments, null, Begun, Begun, Context> = {
  name: 'beginSiteImport',
  callers: operators,

  parse: (args) => args,

  load: loadNothing,

  authorize: authorizedByLoad,

  run: async (_loaded, site, { db, now }) => {
    const { count } = await db.site.createMany({ data: [{ ...site, importingAt: now }], skipDuplicates: true });
    if (count > 0) return { state: 'begun' };
    if (!(await takeOver(db, site, now))) return { state: 'busy' };
    const { kind, isDone } = await deleteSiteRows(db, site.id);
    return { state: kind !== null || isDone ? 'clearing' : 'busy' };
  },

  present: (begun) => begun,
};

/**
 * Takes an incomplete site from the import that has left it.
 * @returns false while that import may still be under way
 * @throws conflict where the site is complete
 */
async function takeOver(db: EntryClient, { id, importing }: BeginImportArguments, now: Date): Promise<boolean> {
  const site = await db.site.findUnique({ where: { id } });
  if (site === null) return false;
  if (site.importing === null) {
    fail(
      'conflict',
      `There is a site "${id}" already: import under another id with --as, or delete that one: entryway site delete ${id} --confirm ${id}`,
    );
  }
  const idleSince = new Date(now.getTime() - maxIdleMilliseconds);
  const isLeft = { OR: [{ importing }, { importingAt: null }, { importingAt: { lt: idleSince } }] };
  const { count } = await db.site.updateMany({
    where: { id, importing: { not: null }, ...isLeft },
    data: { importing, importingAt: now },
  });
  return count > 0;
}
