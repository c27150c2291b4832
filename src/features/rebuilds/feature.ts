// Rebuilds, in the background, the derived data of entries whose channel has changed. No door leads to it.
import { runAlone } from '../../database/embedded/alone.ts';
import type { Feature, ProcessParts } from '../feature.ts';
import { Rebuilds } from './rebuilds.ts';

export const rebuilds = {
  name: 'rebuilds',
  operations: {},
  routes: [],
  graphql: {},
  tables: [],
  start: ({ database, directory, log, own }: Pick<ProcessParts, 'database' | 'directory' | 'log' | 'own'>) => {
    const started = new Rebuilds(
      own('rebuilds'),
      (error) => log.error({ err: error }, 'entries not rebuilt'),
      (...alone) => runAlone(database, ...alone),
      () => directory.isLeader(),
    );
    return { provides: { rebuilds: started }, close: () => started.close() };
  },
} satisfies Feature;
