// What a feature is: a folder whose feature.ts lists all that the rest of the service has of it. src/features.ts lists the features,
// and the lists that the doors have follow from it. The kernel imports no feature.
import type { Prisma } from '../generated/prisma/client.ts';
import type { ResolversPart } from '../graphql/schema.ts';
import type { CallerKind } from '../rules/callers.ts';
import type { Route } from '../rest/route.ts';

export interface Feature {
  readonly name: string;
  /** Its operations, each by its own name. */
  readonly operations: Readonly<Record<string, { readonly name: string; readonly callers: readonly CallerKind[] }>>;
  /** Its rows of the route table. A path is listed before more general ones that would match it, too. */
  readonly routes: readonly Route[];
  /** Its fields of the GraphQL schema. */
  readonly graphql: ResolversPart;
  /** The models whose tables are its own. What the service does with each says src/database/tables.ts. */
  readonly tables: readonly Prisma.ModelName[];
}
