// What the parts of a process tell about their state. It is asked for when metrics are read, and costs nothing otherwise.

/** The connections of a pool. */
export interface PoolState {
  /** How many there may be. */
  readonly max: number;
  readonly open: number;
  readonly idle: number;
  /** How many statements and transactions wait for one. */
  readonly waiting: number;
}

/** A queue that callers share (src/admission/fairQueue.ts). What is held is in the queue's own unit. */
export interface QueueState {
  readonly capacity: number;
  readonly held: number;
  /** How many requests wait. */
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
  /** Channels that are rebuilt now. */
  readonly underway: number;
  readonly entries: number;
  readonly failures: number;
}

/** Changes that are not delivered yet, of all sites (src/database/undelivered.ts), counted up to 10,000. */
export interface UndeliveredState {
  /** Records without a place in their site's feed. */
  readonly unplaced: number;
  /** What waits for webhooks: a change counts once for each. */
  readonly queued: number;
}

/** A standby that may answer reads (src/database/replicas/replica.ts). Reads and failures only grow. */
export interface ReplicaState {
  /** How far it may be behind, in milliseconds: since the moment up to which it was last proven to have every commit. */
  readonly lag: number;
  /** Reads that it answered. */
  readonly reads: number;
  /** Reads that it did not answer, so that the primary did. */
  readonly failures: number;
}

/** The reads that standbys may answer. */
export interface ReplicasState {
  readonly replicas: readonly ReplicaState[];
  /** How many the primary answered; the number only grows. */
  readonly primaryReads: number;
}

/** Where the metrics of a process come from, besides its requests. What else has a state to show gets a member here. */
export interface Gauges {
  /** null: the database has no pool. */
  readonly pool: () => PoolState | null;
  /** null: no standbys are configured. */
  readonly replicas: () => ReplicasState | null;
  readonly queues: () => Readonly<Record<string, QueueState>>;
  readonly caches: () => Readonly<Record<string, CacheState>>;
  /** How long ago it was last proven that the caches have heard of every change, in milliseconds; Infinity: never. */
  readonly proofAge: () => number;
  readonly rebuilds: () => RebuildState;
  /** null: it is not known. */
  readonly undelivered: () => UndeliveredState | null;
}

/** What the supervisor of workers has counted. */
export interface WorkerCounts {
  readonly running: number;
  /** How many died and were replaced. */
  readonly replaced: number;
}
