// The rates of the workers of one machine: the first worker tells the database of all of them at once, so that it hears of a machine
// as it hears of a process. Their supervisor passes the messages on.
import cluster, { type Worker } from 'node:cluster';
import {
  awaitTotals,
  UnknownOutcome,
  type RateTotal,
  type ShareCounts,
  type ToldCount,
} from '../database/rateCounts.ts';

/** How long the first worker waits for what the others tell, in milliseconds. */
const gatheringDelay = 250;

const kind = 'entryway:rates';

/** What a worker tells, or the answer to it. */
interface RatesMessage {
  readonly kind: typeof kind;
  readonly slot: number;
  readonly id: number;
  readonly told?: readonly ToldCount[];
  /** null: they were not told. */
  readonly totals?: readonly RateTotal[] | null;
}

/** Something that messages are sent to: a worker, or the supervisor. */
type Port = Pick<Worker, 'send' | 'isConnected'>;

function isRatesMessage(message: unknown): message is RatesMessage {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === kind;
}

/**
 * Passes a message of a worker on to the worker that it is for, if it is such a message: in the supervisor. Where there is no first
 * worker, the one that tells is answered that nobody was told.
 * @param sender the worker that sent it
 * @param receivers the workers by their numbers; the first one only while it serves
 */
export function passRates(message: unknown, sender: Port, receivers: ReadonlyMap<number, Port>): void {
  if (!isRatesMessage(message)) return;
  const { told, slot, id } = message;
  if (told === undefined) sendTo(receivers.get(slot), message);
  else sendTo(receivers.get(0), message, () => sendTo(sender, { kind, slot, id, totals: null }));
}

/** Sends a message. Without a function that receives the error, one would end the process. */
function sendTo(receiver: Port | undefined, message: RatesMessage, onFailure: () => void = () => undefined): void {
  if (receiver?.isConnected() === true) {
    receiver.send(message, (error) => {
      if (error !== null) onFailure();
    });
  } else onFailure();
}

/** What a worker sends to the supervisor, and hears from it. */
export interface Supervisor {
  readonly send: (message: RatesMessage) => void;
  readonly listen: (onMessage: (message: unknown) => void) => void;
}

const supervisor: Supervisor = {
  send: (message) => {
    // An error means that the supervisor is gone. The process would emit it if no function received it.
    if (cluster.isWorker && process.connected) process.send?.(message, undefined, undefined, () => undefined);
  },
  listen: (onMessage) => process.on('message', onMessage),
};

/** How this worker tells the database of rates. @param slot its number @param share tells the database */
export function joinRates(slot: number, share: ShareCounts, port: Supervisor = supervisor): ShareCounts {
  return slot === 0 ? gatherRates(share, port) : tellFirst(slot, share, port);
}

/** The first worker: tells what all of them have counted. */
function gatherRates(share: ShareCounts, { send, listen }: Supervisor): ShareCounts {
  const gathered = gatherCounts(share, gatheringDelay);
  listen((message) => {
    if (!isRatesMessage(message) || message.told === undefined) return;
    const { slot, id } = message;
    void gathered(message.told).then(
      (totals) => send({ kind, slot, id, totals }),
      // Where the outcome is not known there is no answer: who waits for it finds the same.
      (error: unknown) => {
        if (!(error instanceof UnknownOutcome)) send({ kind, slot, id, totals: null });
      },
    );
  });
  return gathered;
}

/** Another worker: asks the first one, and tells the database itself where that did not. */
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
 * Joins counts that are told within some milliseconds, or while others are being told, and tells them at once.
 * @returns tells counts together with those of others
 */
export function gatherCounts(share: ShareCounts, delay: number): ShareCounts {
  let gathering: { readonly told: ToldCount[]; readonly totals: Promise<RateTotal[]> } | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return (counts) => {
    if (gathering === null) {
      const told: ToldCount[] = [];
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

/** Adds up counts of one key. */
function sumByKey(counts: readonly ToldCount[]): ToldCount[] {
  const sums = new Map<string, ToldCount>();
  for (const count of counts) {
    const key = `${count.name} ${count.key}`;
    const { operations } = sums.get(key) ?? { operations: 0 };
    sums.set(key, { ...count, operations: operations + count.operations });
  }
  return [...sums.values()];
}
