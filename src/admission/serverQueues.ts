// The queues of one server of the database. If the sites are distributed over several servers, each has a pool of
// connections and queues of its own: a request that waits for an unresponsive server does not delay requests to other
// servers.
import { FairQueue } from './fairQueue.ts';
import type { QueueState } from '../telemetry/gauges.ts';

/**
 * The requests that run at the same time, in units of 50 fields: a GraphQL document that resolves 2,500 fields or more
 * fills a caller's share, so that its documents block the event loop one at a time.
 */
const work = { capacity: 200, share: 50 };

interface ServerLimits {
  /** The size of the pool. Some connections are left for the process itself (`own`), and for caches and checks. */
  readonly connections: number;
  /** The longest wait of a request for a slot, in milliseconds. */
  readonly maxWait: number;
}

export class ServerQueues {
  readonly work: FairQueue;
  readonly statements: FairQueue;
  readonly writes: FairQueue;
  readonly own: FairQueue;

  constructor({ connections, maxWait }: ServerLimits) {
    const half = Math.max(2, Math.ceil(connections / 2));
    const { statements, writes, own } = splitConnections(connections);
    this.work = new FairQueue({ ...work, maxWait });
    // A caller whose writes hang may still read.
    this.writes = new FairQueue({ capacity: writes, share: half - 1, maxWait });
    this.statements = new FairQueue({ capacity: statements, share: half, maxWait });
    // A pool of one or two has no connection to spare for it.
    this.own = own === 0 ? this.writes : new FairQueue({ capacity: own, share: own, maxWait });
  }
}

/** The state of the corresponding queues of several servers together. */
export function addStates(queues: readonly FairQueue[]): QueueState {
  const states = queues.map((queue) => queue.readState());
  const sum = (read: (state: QueueState) => number): number => states.reduce((total, state) => total + read(state), 0);
  return {
    capacity: sum(({ capacity }) => capacity),
    held: sum(({ held }) => held),
    waiting: sum(({ waiting }) => waiting),
  };
}

/**
 * Divides a pool's connections: for statements of requests, for their writes among these, and for writes of the process
 * itself. Whatever hangs in a COMMIT, reads have at least one, unless the pool has only one.
 */
function splitConnections(connections: number): { statements: number; writes: number; own: number } {
  const own = connections > 3 ? 2 : connections === 3 ? 1 : 0;
  const statements = connections - own;
  return { statements, writes: Math.max(1, Math.min(Math.ceil(connections / 2), statements - 1)), own };
}
