// Deletes what an import has stored that ends without being complete, a batch with each call. Only the command line has this
// operation (docs/contract.md §12.4).
import type { Context } from '../../../context.ts';
import { operators } from '../../../rules/callers.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../../perform.ts';
import { deleteSiteRows, type DeletedPart } from '../deleteRows.ts';
import type { ImportName } from './held.ts';

export const abandonSiteImport: Operation<ImportName, ImportName, null, DeletedPart, DeletedPart, Context> = {
  name: 'abandonSiteImport',
  callers: operators,

  parse: (args) => args,

  load: loadNothing,

  authorize: authorizedByLoad,

  run: async (_loaded, { id, importing }, { db, now }) => {
    const { count } = await db.site.updateMany({ where: { id, importing }, data: { importingAt: now } });
    return count === 0 ? { kind: null, count: 0, isDone: true } : deleteSiteRows(db, id);
  },

  present: (part) => part,
};
