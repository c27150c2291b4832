// The kernel in the form of a feature: entries by both doors.
import { deleteEndedRates } from '../admission/rateCounts.ts';
import { entryResolvers } from '../graphql/entryResolvers.ts';
import { bulkEntries } from '../resolvers/entries/bulk.ts';
import { countEntries } from '../resolvers/entries/count.ts';
import { createEntry } from '../resolvers/entries/create.ts';
import { createEntries } from '../resolvers/entries/createMany.ts';
import { deleteEntry } from '../resolvers/entries/delete.ts';
import { fetchEntry } from '../resolvers/entries/fetch.ts';
import { listEntries } from '../resolvers/entries/list.ts';
import { publishEntry, unpublishEntry } from '../resolvers/entries/publish.ts';
import { updateEntry } from '../resolvers/entries/update.ts';
import { deleteExpiredResponses } from '../resolvers/storedResponses.ts';
import { entryRoutes } from '../rest/entryRoutes.ts';
import type { Feature } from './feature.ts';

export const kernel = {
  name: 'kernel',
  operations: {
    fetchEntry,
    listEntries,
    countEntries,
    createEntry,
    createEntries,
    updateEntry,
    deleteEntry,
    publishEntry,
    unpublishEntry,
    bulkEntries,
  },
  routes: entryRoutes,
  graphql: entryResolvers,
  tables: ['Entry', 'EntryValue', 'IdempotencyKey', 'RateCount'],
  sweeps: [
    { what: 'expired responses', deleteOld: deleteExpiredResponses },
    {
      what: 'ended rates',
      areOfSites: false,
      deleteOld: (db, _sites, _before, limit) => deleteEndedRates(db, limit),
    },
  ],
} satisfies Feature;
