// Rebuilds, in the background, what is derived from entries whose channel has changed. No door leads to it.
import type { Feature } from '../feature.ts';

export const rebuilds = {
  name: 'rebuilds',
  operations: {},
  routes: [],
  graphql: {},
  tables: [],
} satisfies Feature;
