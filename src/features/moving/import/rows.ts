// Stores rows of a site that is being imported. Only the command line has this operation (docs/contract.md §12.4).
import { fail } from '../../../base/errors.ts';
import { isImportedSection, parseImportedRows, type ImportedRows } from './input.ts';
import { operators } from '../../../rules/callers.ts';
import type { ManagementOperation } from '../../../resolvers/operation.ts';
import { storeImported, type ImportName } from './held.ts';
import { storeImportedRows } from './store.ts';

interface ImportRowsArguments extends ImportName {
  readonly section: string;
  readonly rows: readonly unknown[];
}

type ImportRowsInput = ImportName & { readonly content: ImportedRows };

export const importSiteRows: ManagementOperation<{
  args: ImportRowsArguments;
  input: ImportRowsInput;
  done: null;
  result: null;
}> = {
  name: 'importSiteRows',
  callers: operators,

  parse: ({ id, importing, section, rows }) => {
    if (!isImportedSection(section)) fail('bad_request', `"${section}" is not a section that can be imported.`);
    return { id, importing, content: parseImportedRows(section, rows) };
  },

  run: async ({ id, importing, content }, context) => {
    await storeImported(context, { id, importing }, async (transaction) => {
      return storeImportedRows(transaction, id, content, context);
    });
    // Assigns the positions of their changes now, so that not all of them wait for the end.
    await context.services.assignPositions(id);
    return null;
  },

  present: () => null,
};
