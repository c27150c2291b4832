// Descriptions of the service for one caller: the OpenAPI document, the GraphQL schema of a site, and types (docs/contract.md §11).
import type { Route } from '../../rest/route.ts';
import type { Feature } from '../feature.ts';
import { describing } from './openapi/route.ts';

const none = {};

/** The feature has no operation, and no field of the static schema. */
interface TypedFeature extends Feature {
  readonly operations: typeof none;
  readonly graphql: typeof none;
}

/** Makes the feature. @param routes the routes of all other features, which the OpenAPI document describes */
export function typedOver(routes: readonly Route[]): TypedFeature {
  return {
    name: 'typed',
    operations: none,
    routes: [describing(routes)],
    graphql: none,
    tables: [],
  };
}
