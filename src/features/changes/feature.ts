// The feed of changes: pages, held answers, streams and subscriptions (docs/contract.md §9).
import { field } from '../../graphql/fields.ts';
import type { PublicChange } from './serializer.ts';
import { subscribe, subscribeToChanges } from './subscription.ts';
import type { HeldOpen, HeldRequest } from '../../admission/streams.ts';
import type { Feature, ProcessParts } from '../feature.ts';
import { listChanges } from './list.ts';
import { Readerships } from './readerships.ts';
import { changeRoutes } from './routes.ts';

export const changes = {
  name: 'changes',
  operations: { listChanges },
  routes: changeRoutes,
  graphql: {
    Query: {
      changes: field(listChanges),
    },
    Subscription: {
      // Each event is executed with the change as the root.
      changes: { subscribe: subscribeToChanges, resolve: (change: PublicChange) => change },
    },
    ChangeConnection: {
      nodes: ({ changes }) => [...changes],
    },
    Change: {
      entry: ({ entry }) => entry(),
    },
  },
  tables: ['Change', 'ChangeFeed'],
  sweeps: [
    {
      what: 'old changes',
      age: ({ changesRetention }) => changesRetention,
      deleteOld: (db, ...batch) => db.entry.dropChanges(...batch),
    },
  ],
  start: (parts: ProcessParts) => {
    const readerships = new Readerships(parts);
    const holdOpen = (request: HeldRequest): HeldOpen => ({ hold: parts.streams.hold(request), readerships });
    return { provides: { holdOpen, subscribe } };
  },
} satisfies Feature;
