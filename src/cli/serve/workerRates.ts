// The rate counts of the workers of one machine: the first worker adds those of all workers to the totals in the
// database by one statement, so that a machine costs the database no more than a process. The supervisor passes the
// messages on.
import cluster, { type Worker } from 'node:cluster';
import {
  awaitTotals,
  UnknownOutcome,
  type RateTotal,
  type ShareCounts,
  type UnsharedCount,
} from '../../admission/rateCounts.ts';

/** The time for which the first worker collects the counts of the others, in milliseconds. */
const gatheringDelay = 250;

const kind = 'entryway:rates';

/** The counts of a worker, or the answer to them. */
interface RatesMessage {
  readonly kind: typeof kind;
  readonly slot: number;
  readonly id: number;
  readonly told?: readonly UnsharedCount[];
  /** Absent in a message with counts; null if they were not added. */
  readonly totals?: readonly RateTotal[] | null;
}

/** The receiver of a message: a worker, or the supervisor. */
type Port = Pick<Worker, 'send' | 'isConnected'>;

function isRatesMessage(message: unknown): message is RatesMessage {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === kind;
}

/**
 * Passes a message about rates from one worker on to another, in the supervisor; ignores other messages. If the first
 * worker does not serve, the answer to the sender is that its counts were not added.
 * @param sender the worker that sent the message
 * @param receivers the workers that serve, by their numbers
 */
export function passRates(message: unknown, sender: Port, receivers: ReadonlyMap<number, Port>): void {
  if (!isRatesMessage(message)) return;
  const { told, slot, id } = message;
  if (told === undefined) sendTo(receivers.get(slot), message);
  else sendTo(receivers.get(0), message, () => sendTo(sender, { kind, slot, id, totals: null }));
}

/** Sends a message. Without the callback, an error would be emitted and would end the process. */
function sendTo(receiver: Port | undefined, message: RatesMessage, onFailure: () => void = () => undefined): void {
  if (receiver?.isConnected() === true) {
    receiver.send(message, (error) => {
      if (error !== null) onFailure();
    });
  } else onFailure();
}

/** A worker's connection to the supervisor. */
export interface Supervisor {
  readonly send: (message: RatesMessage) => void;
  readonly listen: (onMessage: (message: unknown) => void) => void;
}

const supervisor: Supervisor = {
  send: (message) => {
    // An error means that the supervisor is gone. Without the callback, it would be emitted and would end the process.
    if (cluster.isWorker && process.connected) process.send?.(message, undefined, undefined, () => undefined);
  },
  listen: (onMessage) => process.on('message', onMessage),
};

/**
 * The function by which this worker shares its counts.
 * @param slot the worker's number
 * @param share adds counts to the totals in the database
 */
export function joinRates(slot: number, share: ShareCounts, port: Supervisor = supervisor): ShareCounts {
  return slot === 0 ? gatherRates(share, port) : tellFirst(slot, share, port);
}

/** Shares the counts of all workers, in the first one. */
function gatherRates(share: ShareCounts, { send, listen }: Supervisor): ShareCounts {
  const gathered = gatherCounts(share, gatheringDelay);
  listen((message) => {
    if (!isRatesMessage(message) || message.told === undefined) return;
    const { slot, id } = message;
    void gathered(message.told).then(
      (totals) => send({ kind, slot, id, totals }),
      // There is no answer to an unknown outcome: the worker that waits reaches the same result by its timeout.
      (error: unknown) => {
        if (!(error instanceof UnknownOutcome)) send({ kind, slot, id, totals: null });
      },
    );
  });
  return gathered;
}

/** Sends the counts of another worker to the first one; that worker shares them itself if the first one could not. */
function tellFirst(slot: number, share: ShareCounts, { send, listen }: Supervisor): ShareCounts {
  const waiting = new Map<number, (totals: readonly RateTotal[] | null) => void>();
  let last = 0;
  listen((message) => {
    if (isRatesMessage(message) && message.totals !== undefined) waiting.get(message.id)?.(message.totals);
  });
  return async (told) => {
    const id = (last += 1);
    const answer = new Promise<readonly RateTotal[] | null>((resolve) => waiting.set(id, resolve));
    send({ kind, slot, id, told });
    try {
      const totals = await awaitTotals(answer);
      return totals === null ? await share(told) : [...totals];
    } finally {
      waiting.delete(id);
    }
  };
}

/**
 * Joins the counts that come within `delay` milliseconds, or while earlier ones are being shared, into one call of
 * `share`.
 * @returns a function that shares counts together with those of other calls
 */
export function gatherCounts(share: ShareCounts, delay: number): ShareCounts {
  let gathering: { readonly told: UnsharedCount[]; readonly totals: Promise<RateTotal[]> } | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return (counts) => {
    if (gathering === null) {
      const told: UnsharedCount[] = [];
      const pause = new Promise((resolve) => setTimeout(resolve, delay));
      const totals = Promise.all([pause, last]).then(() => {
        gathering = null;
        return awaitTotals(share(sumByKey(told)));
      });
      last = totals.catch(() => undefined);
      gathering = { told, totals };
    }
    gathering.told.push(...counts);
    return gathering.totals;
  };
}

/** Adds up the counts of each name and key. */
function sumByKey(counts: readonly UnsharedCount[]): UnsharedCount[] {
  const sums = new Map<string, UnsharedCount>();
  for (const count of counts) {
    const key = `${count.name} ${count.key}`;
    const { operations } = sums.get(key) ?? { operations: 0 };
    sums.set(key, { ...count, operations: operations + count.operations });
  }
  return [...sums.values()];
}
