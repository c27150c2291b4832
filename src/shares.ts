// How callers share the process and its database: nobody holds so much of them that others get no answer
// (docs/security.md). A request enters these queues in their order, and never waits for an earlier one while it holds a
// later one, so that requests cannot deadlock.
import { FairQueue } from './fairQueue.ts';
import { withTimeLimit } from './database/timeout.ts';
import { JoinedWrites } from './joinedWrites.ts';
import { fail, ServiceError } from './errors.ts';
import type { QueueState } from './telemetry/gauges.ts';

/** Bytes of request bodies that are read or worked on at the same time: in memory a text takes up to ten times as much. */
const bodies = { capacity: 33_554_432, share: 8_388_608 };

/**
 * Members and items of bodies that are worked on at the same time: in memory each takes up to 300 bytes, whatever its text has. Of few
 * the rest of the request takes as much.
 */
const values = { capacity: 400_000, share: 100_000 };
const fewValues = 100;

/**
 * Work that blocks the event loop, which is done for one caller after the other, and by no two at the same time: a new document is
 * parsed and validated, a large body is counted.
 */
const blocking = { capacity: 1, share: 1 };

/**
 * Requests that are worked on at the same time, in units of 50 fields: a GraphQL document that resolves 2,500 fields or more
 * fills a caller's share, so that its documents block the event loop one at a time.
 */
const work = { capacity: 200, share: 50 };
const fieldsOfUnit = 50;

/** Answers for which more than `maxUsualRows` bytes of rows (src/budget.ts) are read. */
const largeAnswers = { capacity: 2, share: 1 };

/** One in so many connections of the pool looks up tokens that were never found, one of an address at a time. */
const connectionsForUnknown = 5;

/** The shares of one caller. Each function that enters a queue returns a function that leaves it. */
export interface CallerShares {
  readonly enterBody: (bytes: number) => Promise<() => void>;
  /** @param values the members and items of a body that is about to be parsed; one that has few waits for nobody */
  readonly enterValues: (values: number) => Promise<() => void>;
  /** Whether bodies of other callers wait for room, which those that are read and worked on take up. */
  readonly bodiesLackRoom: () => boolean;
  /**
   * Runs work that blocks the event loop, in the caller's turn. The next one's turn comes when others have had as much time as it took.
   * @throws unavailable if it waited for too long
   */
  readonly readAlone: <Result>(work: () => Result) => Promise<Result>;
  /** @param fields how many fields the request may resolve */
  readonly enterWork: (fields: number) => Promise<() => void>;
  readonly enterLargeAnswer: () => Promise<() => void>;
  /**
   * Runs a statement that reads.
   * @throws too_complex where the statements of the request have taken too long already
   */
  readonly read: <Result>(statement: () => Promise<Result>) => Promise<Result>;
  /**
   * Runs a statement or a transaction that writes. It keeps its turn and its connection until the database has answered, also where its
   * caller waits no longer: PostgreSQL would go on waiting for a standby if the connection were closed, and a new connection would
   * be one more that hangs.
   * @param maxMilliseconds how long it may take until the database has confirmed it
   * @param run is given a function that replaces the milliseconds which are left
   * @throws unavailable where the database does not confirm it in time: its outcome is then not known
   */
  readonly write: <Result>(
    maxMilliseconds: number,
    run: (limit: (milliseconds: number) => void) => Promise<Result>,
  ) => Promise<Result>;
  /** Runs a write together with others of the caller, as JoinedWrites does. `runAll` takes one turn for all of them. */
  readonly join: JoinedWrites['run'];
}

/** What reading a body waits for. */
export interface BodyTurns {
  readonly readAlone: CallerShares['readAlone'];
  /** Waits until a value with so many members and items may be held. */
  readonly enterValues: (values: number) => Promise<void>;
}

/** Durations are in milliseconds. */
export interface ShareLimits {
  /** The size of the database's pool. Some connections are left for the process itself (`own`), and for caches and checks. */
  readonly connections: number;
  /** How long a request waits for its turn. */
  readonly maxWait: number;
  /** How long the reads of one request may take together. */
  readonly maxReading: number;
}

export class Shares {
  readonly #bodies: FairQueue;
  readonly #blocking: FairQueue;
  readonly #values: FairQueue;
  readonly #work: FairQueue;
  readonly #largeAnswers: FairQueue;
  readonly #writes: FairQueue;
  readonly #statements: FairQueue;
  readonly #own: FairQueue;
  readonly #unknown: FairQueue;
  readonly #maxReading: number;
  readonly #joined = new JoinedWrites();

  constructor({ connections, maxWait, maxReading }: ShareLimits) {
    this.#maxReading = maxReading;
    this.#bodies = new FairQueue({ ...bodies, maxWait });
    this.#blocking = new FairQueue({ ...blocking, maxWait });
    this.#values = new FairQueue({ ...values, maxWait });
    this.#work = new FairQueue({ ...work, maxWait });
    this.#largeAnswers = new FairQueue({ ...largeAnswers, maxWait });
    const unknown = Math.max(1, Math.floor(connections / connectionsForUnknown));
    this.#unknown = new FairQueue({ capacity: unknown, share: 1, maxWait });
    const half = Math.max(2, Math.ceil(connections / 2));
    const { statements, writes, own } = splitConnections(connections);
    // A caller whose writes hang may still read.
    this.#writes = new FairQueue({ capacity: writes, share: half - 1, maxWait });
    this.#statements = new FairQueue({ capacity: statements, share: half, maxWait });
    // A pool of one or two has no connection to spare for it.
    this.#own = own === 0 ? this.#writes : new FairQueue({ capacity: own, share: own, maxWait });
  }

  /**
   * Runs a statement or a transaction of the process's own work, however long the database takes to confirm it.
   * @param part the work whose turn it is, such as `sweeps`
   * @throws unavailable if it waited for its turn for too long
   */
  async own<Result>(part: string, run: () => Promise<Result>): Promise<Result> {
    const leave = await this.#own.enter(`own ${part}`);
    try {
      return await run();
    } finally {
      leave();
    }
  }

  /** The state of each queue, by its name. */
  readQueues(): Readonly<Record<string, QueueState>> {
    return {
      unknown_tokens: this.#unknown.readState(),
      bodies: this.#bodies.readState(),
      blocking: this.#blocking.readState(),
      values: this.#values.readState(),
      work: this.#work.readState(),
      large_answers: this.#largeAnswers.readState(),
      writes: this.#writes.readState(),
      statements: this.#statements.readState(),
      own: this.#own.readState(),
    };
  }

  /** Waits until a token that was never found may be looked up for an address. @returns a function that ends the turn */
  enterUnknown(network: string): Promise<() => void> {
    return this.#unknown.enter(network);
  }

  /** The shares of a request. @param caller identifies its caller: a token, and for a public token an address */
  of(caller: string): CallerShares {
    let reading = 0;
    const read: CallerShares['read'] = async (statement) => {
      if (reading > this.#maxReading) refuseReading(this.#maxReading);
      const leave = await this.#statements.enter(caller);
      const begun = performance.now();
      try {
        return await statement();
      } finally {
        reading += performance.now() - begun;
        leave();
      }
    };
    return {
      enterBody: (bytes) => this.#bodies.enter(caller, bytes),
      enterValues: (count) =>
        count < fewValues ? Promise.resolve(() => undefined) : this.#values.enter(caller, count),
      bodiesLackRoom: () => this.#bodies.lacksRoom(),
      readAlone: async (work) => restAfter(work, await this.#blocking.enter(caller)),
      enterWork: (fields) => this.#work.enter(caller, 1 + Math.floor(fields / fieldsOfUnit)),
      enterLargeAnswer: () => this.#largeAnswers.enter(caller),
      read,
      write: async (maxMilliseconds, run) => {
        const leaveWrites = await this.#writes.enter(caller);
        const leave = await this.#statements.enter(caller).catch((error: unknown) => {
          leaveWrites();
          throw error;
        });
        const runToEnd: typeof run = async (limit) => {
          try {
            return await run(limit);
          } finally {
            leave();
            leaveWrites();
          }
        };
        return withTimeLimit(maxMilliseconds, runToEnd, unconfirmed);
      },
      join: (kind, ...write) => this.#joined.run(`${kind} ${caller}`, ...write),
    };
  }
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

/** Runs work, and calls a function once as much time has passed after it as it took. */
function restAfter<Result>(work: () => Result, leave: () => void): Result {
  const begun = performance.now();
  try {
    return work();
  } finally {
    const took = performance.now() - begun;
    // Timers count in milliseconds.
    if (took < 1) leave();
    else setTimeout(leave, took).unref();
  }
}

/** The error of a write that the database did not confirm: its outcome is not known. */
function unconfirmed(): ServiceError {
  const detail =
    'The database did not confirm the write in time: it may be stored now or later. Read before you write again, or ' +
    'repeat the request with the same Idempotency-Key.';
  return new ServiceError('unavailable', { detail });
}

function refuseReading(max: number): never {
  fail(
    'too_complex',
    `The request has read from the database for more than ${max} milliseconds. Ask for less at a time.`,
  );
}
