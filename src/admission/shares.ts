// Shares the process and its database between callers: no caller holds so much of them that others get no answer
// (docs/security.md). A request enters these queues in their order, and never waits for an earlier one while it holds a
// later one, so that requests cannot deadlock.
import { FairQueue } from './fairQueue.ts';
import { andThen, isPromise, type PromiseOrValue } from '../base/promiseOrValue.ts';
import { withTimeLimit } from '../base/timeout.ts';
import { ServiceError } from '../base/errors.ts';
import { addStates, ServerQueues } from './serverQueues.ts';
import type { QueueState } from '../telemetry/gauges.ts';

/**
 * Bytes of request bodies that are read or worked on at the same time: in memory a text takes up to ten times as much.
 */
const bodies = { capacity: 33_554_432, share: 8_388_608 };

/**
 * Members and items of bodies that are worked on at the same time: in memory each takes up to 300 bytes, whatever the
 * size of its text. If there are few, the rest of the request takes as much.
 */
const values = { capacity: 400_000, share: 100_000 };
const fewValues = 100;

/**
 * Work that blocks the event loop runs for one caller after the other, and never twice at the same time: parsing and
 * validating a new document, counting a large body.
 */
const blocking = { capacity: 1, share: 1 };

/** The fields that count as one unit of work (serverQueues.ts). */
const fieldsOfUnit = 50;

/** Answers for which more than `maxUsualRows` bytes of rows (src/admission/budget.ts) are read. */
const largeAnswers = { capacity: 2, share: 1 };

/** One in so many connections of the pool finds tokens that were never found before, one of an address at a time. */
const connectionsForUnknown = 5;

/** Durations are in milliseconds. */
export interface ShareLimits {
  /** The size of the database's pool; of each server's, if the sites are distributed over several. */
  readonly connections: number;
  /** The longest wait of a request for a slot. */
  readonly maxWait: number;
  /** The longest time of the reads of one request together. */
  readonly maxReading: number;
  /**
   * Finds the name of the server that has a site; null stands for the server of the rows that belong to no site. Absent
   * if there is one server.
   */
  readonly serverOf?: ((site: string) => Promise<string | null>) | undefined;
}

export class Shares {
  readonly #queues: Queues;
  readonly #unknown: FairQueue;
  /** The queues of the other servers, by their names. */
  readonly #others = new Map<string, ServerQueues>();
  readonly #limits: ShareLimits;

  constructor(limits: ShareLimits) {
    const { connections, maxWait, maxReading, serverOf } = limits;
    this.#limits = limits;
    this.#queues = {
      bodies: new FairQueue({ ...bodies, maxWait }),
      blocking: new FairQueue({ ...blocking, maxWait }),
      values: new FairQueue({ ...values, maxWait }),
      largeAnswers: new FairQueue({ ...largeAnswers, maxWait }),
      home: new ServerQueues(limits),
      findServerQueues: serverOf === undefined ? null : (site) => this.#findServerQueues(serverOf, site),
      maxReading,
    };
    const unknown = Math.max(1, Math.floor(connections / connectionsForUnknown));
    this.#unknown = new FairQueue({ capacity: unknown, share: 1, maxWait });
  }

  /**
   * Runs a statement or a transaction of the process's own work, however long the database takes to confirm it.
   * @param part the work that waits for the slot, such as `sweeps`
   * @param site the site that it concerns; absent for all
   * @throws unavailable after too long a wait for a slot
   */
  async own<Result>(part: string, run: () => Promise<Result>, site?: string): Promise<Result> {
    const { findServerQueues, home } = this.#queues;
    const queues = findServerQueues === null || site === undefined ? home : await findServerQueues(site);
    const leave = await queues.own.enter(`own ${part}`);
    try {
      return await run();
    } finally {
      leave();
    }
  }

  /** The state of each queue, by its name. */
  readQueues(): Readonly<Record<string, QueueState>> {
    const queues = this.#queues;
    const servers = [queues.home, ...this.#others.values()];
    const add = (read: (server: ServerQueues) => FairQueue): QueueState => addStates(servers.map(read));
    return {
      unknown_tokens: this.#unknown.readState(),
      bodies: queues.bodies.readState(),
      blocking: queues.blocking.readState(),
      values: queues.values.readState(),
      work: add((server) => server.work),
      large_answers: queues.largeAnswers.readState(),
      writes: add((server) => server.writes),
      statements: add((server) => server.statements),
      own: add((server) => server.own),
    };
  }

  /**
   * Waits for a slot to find a token that was never found before, for an address. @returns a function that gives it
   * back
   */
  enterUnknown(network: string): PromiseOrValue<() => void> {
    return this.#unknown.enter(network);
  }

  /**
   * The shares of a request.
   * @param caller identifies its caller: by a token, and for a public token also an address
   * @param site the site of its content; absent if it uses nothing that belongs to a site
   */
  of(caller: string, site?: string): CallerShares {
    return new CallerShares(this.#queues, caller, site);
  }

  async #findServerQueues(serverOf: (site: string) => Promise<string | null>, site: string): Promise<ServerQueues> {
    const server = await serverOf(site);
    if (server === null) return this.#queues.home;
    const queues = this.#others.get(server) ?? new ServerQueues(this.#limits);
    this.#others.set(server, queues);
    return queues;
  }
}

/** The queues that all callers enter. */
interface Queues {
  readonly bodies: FairQueue;
  readonly blocking: FairQueue;
  readonly values: FairQueue;
  readonly largeAnswers: FairQueue;
  /** The queues of the server that has users, tokens and sites; a single server has everything. */
  readonly home: ServerQueues;
  /** Finds the queues of the server that has a site; null if there is one server. */
  readonly findServerQueues: ((site: string) => Promise<ServerQueues>) | null;
  readonly maxReading: number;
}

/** The shares of one caller in one request. Each method that enters a queue returns a function that leaves it. */
export class CallerShares {
  readonly #queues: Queues;
  readonly #caller: string;
  readonly #site: string | undefined;
  /** null if the server of the site has to be found. */
  readonly #serverQueues: ServerQueues | null;
  /** The time of the reads so far, in milliseconds. */
  #reading = 0;

  constructor(queues: Queues, caller: string, site: string | undefined) {
    this.#queues = queues;
    this.#caller = caller;
    this.#site = site;
    this.#serverQueues = queues.findServerQueues === null || site === undefined ? queues.home : null;
  }

  enterBody(bytes: number): PromiseOrValue<() => void> {
    return this.#queues.bodies.enter(this.#caller, bytes);
  }

  /** Whether bodies of other callers wait for room that bodies in progress take up. */
  bodiesLackRoom(): boolean {
    return this.#queues.bodies.lacksRoom();
  }

  /** @param count the members and items of a body that is about to be parsed; one that has few does not wait */
  enterValues(count: number): PromiseOrValue<() => void> {
    if (count < fewValues) return () => undefined;
    return this.#queues.values.enter(this.#caller, count);
  }

  /**
   * Runs work that blocks the event loop in a slot of the caller. The next one begins after others have had as much
   * time as it took.
   * @throws unavailable after too long a wait
   */
  async readAlone<Result>(work: () => Result): Promise<Result> {
    return restAfter(work, await this.#queues.blocking.enter(this.#caller));
  }

  /** @param fields the number of fields that the request may resolve */
  enterWork(fields: number): PromiseOrValue<() => void> {
    const weight = 1 + Math.floor(fields / fieldsOfUnit);
    return andThen(this.#serverQueues ?? this.#findServerQueues(), ({ work }) => work.enter(this.#caller, weight));
  }

  enterLargeAnswer(): PromiseOrValue<() => void> {
    return this.#queues.largeAnswers.enter(this.#caller);
  }

  /**
   * Runs a statement that reads.
   * @throws too_complex if the statements of the request have taken too long already
   */
  read<Result>(statement: () => Promise<Result>): Promise<Result> {
    const { maxReading } = this.#queues;
    if (this.#reading > maxReading) return Promise.reject(readingError(maxReading));
    const entered = andThen(this.#serverQueues ?? this.#findServerQueues(), ({ statements }) =>
      statements.enter(this.#caller),
    );
    return isPromise(entered)
      ? entered.then((leave) => this.#readIn(statement, leave))
      : this.#readIn(statement, entered);
  }

  /** Runs a statement in a slot, and gives the slot back. */
  async #readIn<Result>(statement: () => Promise<Result>, leave: () => void): Promise<Result> {
    const begun = performance.now();
    try {
      return await statement();
    } finally {
      this.#reading += performance.now() - begun;
      leave();
    }
  }

  /**
   * Runs a statement or a transaction that writes. It keeps its slot and its connection until the database has
   * answered, even after its caller has stopped waiting: PostgreSQL would go on waiting for a standby if the connection
   * were closed, and a new connection would be one more that hangs.
   * @param maxMilliseconds the longest time until the database has confirmed it
   * @param run gets a function that replaces the rest of these milliseconds
   * @throws unavailable if the database does not confirm it in time: then its outcome is unknown
   */
  async write<Result>(
    maxMilliseconds: number,
    run: (limit: (milliseconds: number) => void) => Promise<Result>,
  ): Promise<Result> {
    const entered = andThen(this.#serverQueues ?? this.#findServerQueues(), (queues) =>
      enterToWrite(queues, this.#caller),
    );
    const leave = isPromise(entered) ? await entered : entered;
    const runToEnd: typeof run = async (limit) => {
      try {
        return await run(limit);
      } finally {
        leave();
      }
    };
    return withTimeLimit(maxMilliseconds, runToEnd, unconfirmed);
  }

  #findServerQueues(): Promise<ServerQueues> {
    const { findServerQueues, home } = this.#queues;
    return findServerQueues === null || this.#site === undefined ? Promise.resolve(home) : findServerQueues(this.#site);
  }
}

/** Enters the queue of writes, then that of all statements. @returns a function that leaves both */
function enterToWrite({ writes, statements }: ServerQueues, caller: string): PromiseOrValue<() => void> {
  return andThen(writes.enter(caller), (leaveWrites) => {
    const leaveBoth = (leave: () => void) => (): void => {
      leave();
      leaveWrites();
    };
    const entered = statements.enter(caller);
    if (!isPromise(entered)) return leaveBoth(entered);
    return entered.then(leaveBoth, (error: unknown) => {
      leaveWrites();
      throw error;
    });
  });
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

/** The error of a write that the database did not confirm: its outcome is unknown. */
function unconfirmed(): ServiceError {
  const detail =
    'The database did not confirm the write in time: it may be stored now or later. Read before you write again, or ' +
    'repeat the request with the same Idempotency-Key.';
  return new ServiceError('unavailable', { detail });
}

function readingError(max: number): ServiceError {
  const detail = `The request has read from the database for more than ${max} milliseconds. Ask for less at a time.`;
  return new ServiceError('too_complex', { detail });
}
