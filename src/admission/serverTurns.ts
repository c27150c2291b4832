// The turns of those who use one server of the database. Where the sites are distributed over several servers, each has a pool of
// connections and turns of its own: who waits for one that does not answer holds up nobody who waits for another one.
import { FairQueue } from './fairQueue.ts';
import type { QueueState } from '../telemetry/gauges.ts';

/**
 * Requests that are worked on at the same time, in units of 50 fields: a GraphQL document that resolves 2,500 fields or more
 * fills a caller's share, so that its documents block the event loop one at a time.
 */
const work = { capacity: 200, share: 50 };

interface TurnLimits {
  /** The size of the pool. Some connections are left for the process itself (`own`), and for caches and checks. */
  readonly connections: number;
  /** How long a request waits for its turn, in milliseconds. */
  readonly maxWait: number;
}

export class ServerTurns {
  readonly work: FairQueue;
  readonly statements: FairQueue;
  readonly writes: FairQueue;
  readonly own: FairQueue;

  constructor({ connections, maxWait }: TurnLimits) {
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

/** The state of queues that stand for the same thing on several servers. */
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
 * How many connections of a pool statements of requests may have, how many of these their writes, and how many the writes of the process
 * itself. Whatever hangs in a COMMIT, reads have one at least, unless the pool has one alone.
 */
function splitConnections(connections: number): { statements: number; writes: number; own: number } {
  const own = connections > 3 ? 2 : connections === 3 ? 1 : 0;
  const statements = connections - own;
  return { statements, writes: Math.max(1, Math.min(Math.ceil(connections / 2), statements - 1)), own };
}
