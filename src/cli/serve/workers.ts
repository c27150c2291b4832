// The processes that share a port (docs/contract.md §13.5): a supervisor starts them, and replaces those that die.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';
import type { WorkerRole } from '../../service/background.ts';
import type { WorkerCounts } from '../../telemetry/gauges.ts';
import { joinRates, passRates } from './workerRates.ts';

/** The variable in which a worker finds its role. */
const roleVariable = 'ENTRYWAY_WORKER';

/** Messages of the supervisor to workers that are to end, and of a worker that serves. */
const stopMessage = 'entryway:stop';
const servesMessage = 'entryway:serves';

/** A worker that ran for less is replaced at once the first time, and then after a pause that doubles each time. */
const stableMilliseconds = 60_000;
const firstPauseMilliseconds = 1_000;
const maxPauseMilliseconds = 30_000;

/** Time for a worker to end before it is killed: it promises to need at most 10 seconds. */
const maxWorkerStop = 10_000;

/** The role of this process; null if it has the port for itself. */
export function readWorkerRole(): WorkerRole | null {
  const text = process.env[roleVariable];
  if (!cluster.isWorker || text === undefined) return null;
  const role = JSON.parse(text) as Omit<WorkerRole, 'joinRates'>;
  return { ...role, joinRates: (share) => joinRates(role.slot, share) };
}

/** Resolves when the supervisor stops this worker, or has ended; never in another process. */
export function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    const { worker } = cluster;
    if (worker === undefined) return;
    process.on('message', (message) => {
      if (message === stopMessage) resolve('stop');
    });
    // Otherwise Node would end the process when the connection to the supervisor ends, with requests under way.
    worker.exitedAfterDisconnect = true;
    process.once('disconnect', () => resolve('disconnect'));
  });
}

/** Ends the connection to the supervisor, which would keep the process alive. */
export function leaveSupervisor(): void {
  if (cluster.isWorker && process.connected) process.disconnect();
}

/** Reports to the supervisor that this worker serves. */
export function reportServing(): void {
  // An error means that the supervisor has ended.
  if (cluster.isWorker && process.connected) process.send?.(servesMessage, undefined, undefined, () => undefined);
}

export class Workers {
  readonly #log: Logger;
  readonly #running = new Map<number, Worker>();
  /** The workers that serve. */
  readonly #serving = new Map<number, Worker>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #replaced = 0;
  #isStopping = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Starts the workers: first one alone, which applies pending migrations, and when it serves the others.
   * @returns the exit code of the first one if it ended before it served; null if it serves
   */
  async start(count: number): Promise<number | null> {
    const first = this.#fork(0, true);
    const code = await untilServing(first);
    if (code !== null) return code;
    this.#keep(0, first, 0);
    for (let slot = 1; slot < count && !this.#isStopping; slot += 1) this.#keep(slot, this.#fork(slot, false), 0);
    return null;
  }

  /** The numbers of running workers and of replaced ones. */
  get counts(): WorkerCounts {
    return { running: this.#running.size, replaced: this.#replaced };
  }

  /** Lets the workers finish their requests. Resolves when all have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#running.values()].map((worker) => stopWorker(worker)));
  }

  #fork(slot: number, announces: boolean): Worker {
    const worker = cluster.fork({
      [roleVariable]: JSON.stringify({ slot, announces } satisfies Omit<WorkerRole, 'joinRates'>),
    });
    this.#running.set(slot, worker);
    worker.on('message', (message) => {
      if (message === servesMessage) this.#serving.set(slot, worker);
      else passRates(message, worker, this.#serving);
    });
    // Without a listener, a message that cannot be sent to a worker would end the supervisor, and all workers with it.
    worker.on('error', (error) => this.#log.error({ err: error, slot }, 'worker not reached'));
    worker.once('exit', () => {
      this.#running.delete(slot);
      this.#serving.delete(slot);
    });
    return worker;
  }

  /**
   * Replaces a worker when it dies. @param deaths number of consecutive workers before it that ran only for a short
   * time
   */
  #keep(slot: number, worker: Worker, deaths: number): void {
    const begun = performance.now();
    worker.once('exit', (code, signal) => {
      if (this.#isStopping) return;
      const isStable = performance.now() - begun >= stableMilliseconds;
      const pause = isStable || deaths === 0 ? 0 : pauseAfter(deaths);
      this.#log.error({ slot, pid: worker.process.pid, code, signal, pause }, 'worker died');
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        this.#replaced += 1;
        this.#keep(slot, this.#fork(slot, false), isStable ? 0 : deaths + 1);
      }, pause);
      this.#timers.add(timer);
    });
  }
}

/** The pause before a worker is replaced, in milliseconds. @param deaths number of consecutive short runs, from 1 */
function pauseAfter(deaths: number): number {
  return Math.min(maxPauseMilliseconds, firstPauseMilliseconds * 2 ** (deaths - 1));
}

/** @returns its exit code if it ended before it served; null if it serves */
function untilServing(worker: Worker): Promise<number | null> {
  return new Promise((resolve) => {
    worker.on('message', (message) => {
      if (message === servesMessage) resolve(null);
    });
    worker.once('exit', (code) => resolve(code));
  });
}

async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  // A worker that does not receive it is ending already, or is killed below.
  if (worker.isConnected()) worker.send(stopMessage, () => undefined);
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), maxWorkerStop);
  await ended;
  clearTimeout(timer);
}
