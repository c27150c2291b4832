// The type of features: a feature is a folder whose feature.ts lists all that the rest of the service uses of it.
// src/features.ts lists the features, and the tables of the doors follow from that list. The kernel imports no feature.
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
  /** The models whose tables are its own. src/database/tables.ts says how the service treats each. */
  readonly tables: readonly Prisma.ModelName[];
  /** Rows that it keeps for a limited time; absent for none. */
  readonly sweeps?: readonly SweptRows[];
}

/** The times for which rows are kept, as far as the operator sets them. */
export type Retention = Pick<Config, 'changesRetention' | 'auditRetention'>;

/** Rows that are kept for a limited time, and deleted in the background (src/base/sweep.ts). */
export interface SweptRows {
  /** The name of the rows in the log. */
  readonly what: string;
  /** The time for which they are kept, in milliseconds; null for ever; absent if the rows have their own times. */
  readonly age?: (retention: Retention) => number | null;
  /** false if they belong to no site. */
  readonly areOfSites?: boolean;
  /**
   * Deletes one batch.
   * @param before the present, or earlier by their age
   * @returns the number of deleted ones; if it is the limit, there may be more
   */
  readonly deleteOld: (db: EntryClient, sites: readonly string[], before: Date, limit: number) => Promise<number>;
}
