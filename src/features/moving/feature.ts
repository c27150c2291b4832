// Imports of sites from files (docs/contract.md §12.4), which commands perform.
import type { Feature } from '../feature.ts';
import { abandonSiteImport } from './import/abandon.ts';
import { beginSiteImport } from './import/begin.ts';
import { finishSiteImport } from './import/finish.ts';
import { deleteLeftImports } from './import/left.ts';
import { importSiteRows } from './import/rows.ts';

export const moving = {
  name: 'moving',
  operations: { beginSiteImport, importSiteRows, finishSiteImport, abandonSiteImport },
  routes: [],
  graphql: {},
  tables: [],
  sweeps: [{ what: 'what stopped imports have left', deleteOld: deleteLeftImports }],
} satisfies Feature;
