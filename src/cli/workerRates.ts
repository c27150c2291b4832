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
  /** null: they could not be told. */
  readonly totals?: readonly RateTotal[] | null;
}

/** Something that messages are sent to: a worker, or the supervisor. */
type Port = Pick<Worker, 'send' | 'isConnected'>;

function isRatesMessage(message: unknown): message is RatesMessage {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === kind;
}

/** Passes a message of a worker on to the worker that it is for, if it is such a message: in the supervisor. */
export function passRates(message: unknown, running: ReadonlyMap<number, Port>): void {
  if (!isRatesMessage(message)) return;
  const receiver = running.get(message.told === undefined ? message.slot : 0);
  if (receiver?.isConnected() === true) receiver.send(message);
}

/** How this worker tells the database of rates. @param slot its number @param share tells the database */
export function joinRates(slot: number, share: ShareCounts): ShareCounts {
  return slot === 0 ? gatherRates(share) : tellFirst(slot);
}

/** The first worker: tells what all of them have counted. */
function gatherRates(share: ShareCounts): ShareCounts {
  const gathered = gatherCounts(share, gatheringDelay);
  process.on('message', (message: unknown) => {
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

/** Another worker: asks the first one. */
function tellFirst(slot: number): ShareCounts {
  const waiting = new Map<number, (totals: readonly RateTotal[] | null) => void>();
  let last = 0;
  process.on('message', (message: unknown) => {
    if (isRatesMessage(message) && message.totals !== undefined) waiting.get(message.id)?.(message.totals);
  });
  return async (told) => {
    const id = (last += 1);
    const answer = new Promise<readonly RateTotal[] | null>((resolve) => waiting.set(id, resolve));
    send({ kind, slot, id, told });
    try {
      const totals = await awaitTotals(answer);
      if (totals === null) throw new Error('the first worker could not tell the database of rates');
      return [...totals];
    } finally {
      waiting.delete(id);
    }
  };
}

function send(message: RatesMessage): void {
  if (cluster.isWorker && process.connected) process.send?.(message);
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
