// What a feature is: a folder whose feature.ts lists all that the rest of the service has of it. src/features.ts lists the features,
// and the lists that the doors have follow from it. The kernel imports no feature.
import type { Config } from '../config/config.ts';
import type { EntryClient } from '../entries/model.ts';
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
  /** Rows that it keeps for a time only; absent: none. */
  readonly sweeps?: readonly SweptRows[];
}

/** How long rows are kept that the operator sets. */
export type Retention = Pick<Config, 'changesRetention' | 'auditRetention'>;

/** Rows that are kept for a time only, and deleted in the background (src/base/sweep.ts). */
export interface SweptRows {
  /** Names them in the log. */
  readonly what: string;
  /** For how many milliseconds they are kept; null: for ever; absent: that is told by themselves. */
  readonly age?: (retention: Retention) => number | null;
  /** False: they belong to no site. */
  readonly areOfSites?: boolean;
  /**
   * Deletes one batch.
   * @param before the present, or by their age earlier
   * @returns how many were deleted; as many as the limit: there may be more
   */
  readonly deleteOld: (db: EntryClient, sites: readonly string[], before: Date, limit: number) => Promise<number>;
}
