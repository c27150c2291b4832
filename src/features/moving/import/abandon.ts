// Deletes the rows of an import that ends without being complete, a batch with each call. Only the command line has
// this operation (docs/contract.md §12.4).
import { v5 as uuidv5 } from 'uuid';
import { operators } from '../../../rules/callers.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import type { DeletedPart, DeletionProgress } from '../../../management/sites/deleteRows.ts';
import { deleteImported, type ImportName } from './held.ts';

type AbandonImportArguments = ImportName & DeletionProgress;

export const abandonSiteImport: ManagementOperation<{ args: AbandonImportArguments; done: DeletedPart }> = {
  name: 'abandonSiteImport',
  callers: operators,

  run: ({ id, importing, from }, { services: { db }, now }) => {
    // A step of the import that is still under way must not make it complete. Each call derives the same id again.
    const abandoned = uuidv5('abandoned', importing);
    const isOwn = { importing: { in: [importing, abandoned] } };
    return deleteImported(db, { id, ...isOwn }, { importing: abandoned, importingAt: now }, from);
  },
};
