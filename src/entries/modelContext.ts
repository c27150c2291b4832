// The dependencies of the methods of the Prisma model `entry` (model.ts).
import type { Batcher } from '../base/batcher.ts';
import type { EntryStatements } from '../database/statements.ts';
import type { Channel, Prisma } from '../generated/prisma/client.ts';
import type { RequestStats } from '../telemetry/requestStats.ts';
import type { AuthoredDraft, Written } from './draft.ts';
import type { SharedCounts } from './sharedCounts.ts';

/** The `this` of the model's methods. */
export interface ModelContext {
  readonly statements: EntryStatements;
  /** The counts that requests share; null if each total is counted anew. */
  readonly counts: SharedCounts | null;
  /** Stores new entries together with those of other requests (sql/create.ts); null to store each alone. */
  readonly creates: (Creates & { readonly statements: JoiningStatements }) | null;
}

/** The batcher of new entries, as one request uses it. */
export interface Creates {
  readonly batcher: Batcher<PendingCreate, Written>;
  /** Identifies the caller: entries of different callers are not stored together. */
  readonly caller: string;
}

/** The statements of one request, which can also write for other requests. */
export interface JoiningStatements extends EntryStatements {
  /** The request statistics, which note the statements. */
  readonly account: Pick<RequestStats, 'measure'>;
  /** Writes for several requests by one statement, which the statistics of each request note. */
  readonly writeTogether: <Row>(
    accounts: readonly JoiningStatements['account'][],
    statement: Prisma.Sql,
  ) => Promise<Row[]>;
}

/** A new entry that waits to be stored. */
export interface PendingCreate {
  /** The statements of its own request. */
  readonly statements: JoiningStatements;
  readonly channel: Channel;
  readonly authored: AuthoredDraft;
  /** The entry as JSON, for the statement that stores several; null until it is made. */
  document: string | null;
}
