// Rebuilds, in the background, the derived data of entries whose channel has changed. No door leads to it.
import type { Feature } from '../feature.ts';

export const rebuilds = {
  name: 'rebuilds',
  operations: {},
  routes: [],
  graphql: {},
  tables: [],
} satisfies Feature;
