// Deletes what an import has stored that ends without being complete, a batch with each call. Only the command line has this
// operation (docs/contract.md §12.4).
import type { Context } from '../../../context.ts';
import { operators } from '../../../rules/callers.ts';
import { manage } from '../../manage.ts';
import { authorizedByLoad, loadNothing, type Operation } from '../../perform.ts';
import type { DeletedPart, DeletionProgress } from '../deleteRows.ts';
import { deleteImported, holdImported, type ImportName } from './held.ts';

type AbandonImportArguments = ImportName & DeletionProgress;

export const abandonSiteImport: Operation<
  AbandonImportArguments,
  AbandonImportArguments,
  null,
  DeletedPart,
  DeletedPart,
  Context
> = {
  name: 'abandonSiteImport',
  callers: operators,

  parse: (args) => args,

  load: loadNothing,

  authorize: authorizedByLoad,

  run: async (_loaded, { from, ...name }, context) => {
    const isHeld = await manage(context, async ({ db }) => ({
      result: await holdImported(db, name, context.now),
      changes: [],
    }));
    return isHeld ? deleteImported(context, name.id, from) : { kind: null, count: 0, isDone: true };
  },

  present: (part) => part,
};
