// The type of features: a feature is a folder whose feature.ts lists all that the rest of the service uses of it.
// src/features.ts lists the features, and the tables of the doors follow from that list. The kernel imports no feature.
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Shares } from '../admission/shares.ts';
import type { Streams } from '../admission/streams.ts';
import type { Directory } from '../auth/directory.ts';
import type { Config, Limits } from '../config/config.ts';
import type { ChangeListener } from '../database/changeFeed.ts';
import type { Database } from '../database/database.ts';
import type { LiveChanges } from '../entries/feed/liveChanges.ts';
import type { EntryClient } from '../entries/model.ts';
import type { SharedCounts } from '../entries/sharedCounts.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import type { ResolversPart } from '../graphql/schema.ts';
import type { CallerKind } from '../rules/callers.ts';
import type { JoinClient } from '../resolvers/openShares.ts';
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
  /** Starts its work in a process, besides operations; absent for none. */
  readonly start?: (parts: ProcessParts) => Started;
}

/** The parts of a process that features use. */
export interface ProcessParts {
  readonly config: Config;
  readonly database: Database;
  readonly log: Logger;
  readonly limits: Limits;
  readonly shares: Shares;
  readonly streams: Streams;
  readonly directory: Directory;
  readonly liveChanges: LiveChanges;
  readonly counts: SharedCounts;
  readonly joinClient: JoinClient;
  /** The static GraphQL schema. */
  readonly schema: GraphQLSchema;
  /** The service's absolute URL, without a slash at the end; empty until the service listens. */
  readonly baseUrl: () => string;
  /** Makes the database client for work of the process that no request waits for. @param part its queue */
  readonly own: (part: string) => EntryClient;
}

/** A feature's work in a process. */
export interface Started {
  /** The services that it provides to the process, by name. */
  readonly provides: object;
  /** Begins work that needs a migrated database. */
  readonly open?: () => void;
  /** Receives each notification of the database. */
  readonly receive?: ChangeListener;
  /** Called when notifications may have been missed. */
  readonly recover?: () => void;
  /** Ends its work. Resolves when nothing of it is under way. */
  readonly close?: () => Promise<void>;
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
