// The state of a process' components. It is read when metrics are read, and costs nothing otherwise.

/** The connections of a pool. */
export interface PoolState {
  /** Maximum number of connections. */
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  /** Number of statements and transactions waiting for one. */
  readonly waiting: number;
}

/** A fair queue (src/admission/fairQueue.ts). The capacity held is in the queue's own unit. */
export interface QueueState {
  readonly capacity: number;
  readonly held: number;
  /** Number of waiting requests. */
  readonly waiting: number;
}

/** A cache that decides access (src/auth/directory.ts). The three numbers of look-ups only grow. */
export interface CacheState {
  readonly answers: number;
  /** Look-ups that the cache answered. */
  readonly hits: number;
  /** Look-ups that the database answered, and that were cached. */
  readonly misses: number;
  /** Look-ups that the database answered because the cache was not proven to be current. */
  readonly bypassed: number;
}

/** The rebuilds of entries after changes of fields (src/features/rebuilds/rebuilds.ts). Entries and failures only grow. */
export interface RebuildState {
  /** Channels whose rebuild is running. */
  readonly underway: number;
  readonly entries: number;
  readonly failures: number;
}

/** Changes that are not delivered yet, of all sites (src/database/undelivered.ts), counted up to 10,000. */
export interface UndeliveredState {
  /** Records without a position in their site's feed. */
  readonly unplaced: number;
  /** Queued events of webhooks: a change counts once for each webhook. */
  readonly queued: number;
}

/** A standby that may answer reads (src/database/replicas/replica.ts). Reads and failures only grow. */
export interface ReplicaState {
  /** Maximum lag in milliseconds: the time since the moment up to which it was last proven to have every commit. */
  readonly lag: number;
  /** Reads that it answered. */
  readonly reads: number;
  /** Reads that it failed to answer, so that the primary did. */
  readonly failures: number;
}

/** The reads that standbys may answer. */
export interface ReplicasState {
  readonly replicas: readonly ReplicaState[];
  /** Number of reads that the primary answered; only grows. */
  readonly primaryReads: number;
}

/** The sources of a process' metrics, besides its requests. A component with a state gets a member here. */
export interface Gauges {
  /** Null if the database has no pool. */
  readonly pool: () => PoolState | null;
  /** Null if no standbys are configured. */
  readonly replicas: () => ReplicasState | null;
  readonly queues: () => Readonly<Record<string, QueueState>>;
  readonly caches: () => Readonly<Record<string, CacheState>>;
  /**
   * Age of the last proof that the caches were notified of every change, in milliseconds; Infinity before the first.
   */
  readonly proofAge: () => number;
  readonly rebuilds: () => RebuildState;
  /** Null if unknown. */
  readonly undelivered: () => UndeliveredState | null;
}

/** The counts of the workers' supervisor. */
export interface WorkerCounts {
  readonly running: number;
  /** Number of workers that died and were replaced. */
  readonly replaced: number;
}
