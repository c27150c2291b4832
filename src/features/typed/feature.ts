// Descriptions of the service for one caller: the OpenAPI document, the GraphQL schema of a site, and types (docs/contract.md §11).
import type { Route } from '../../rest/route.ts';
import type { Feature, ProcessParts } from '../feature.ts';
import { SiteSchemas } from './graphql/schemas.ts';
import { describing } from './openapi/route.ts';

const none = {};

/** The feature has no operation, and no field of the static schema. */
interface TypedFeature extends Feature {
  readonly operations: typeof none;
  readonly graphql: typeof none;
  readonly start: typeof start;
}

/** Makes the feature. @param routes the routes of all other features, which the OpenAPI document describes */
export function typedOver(routes: readonly Route[]): TypedFeature {
  return {
    name: 'typed',
    operations: none,
    routes: [describing(routes)],
    graphql: none,
    tables: [],
    start,
  };
}

function start({ config, directory, log, schema }: ProcessParts): { provides: { siteSchemas: SiteSchemas } } {
  const options = { production: config.production, limits: config.limits.graphql, log, directory };
  return { provides: { siteSchemas: new SiteSchemas(schema, options) } };
}
