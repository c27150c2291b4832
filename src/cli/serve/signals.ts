// Handles SIGINT and SIGTERM: the first one asks a command to finish, a later one ends the process at once.
import { constants } from 'node:os';

/** A second signal within this time repeats the first: npm forwards a Ctrl-C that the process got from the terminal, too. */
const echoMilliseconds = 1_000;

/** Interval at which a service that npm runs checks whether npm still exists. */
const parentIntervalMilliseconds = 200;

/** Maximum time after the first signal until a service ends. It promises 10 seconds. */
const maxStoppingMilliseconds = 9_000;

/** Time after the first signal for which a command waits for the answers to requests in flight. */
const graceMilliseconds = 3_000;

/**
 * Resolves with the signal's name at the first SIGTERM or SIGINT from now on, or with SIGTERM once the npm that runs
 * this process has ended; the process ends 9 seconds later.
 */
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      setTimeout(() => process.exit(0), maxStoppingMilliseconds).unref();
      resolve(signal);
    };
    listenForSignals(stop);
    if (['npx', 'start'].includes(process.env['npm_lifecycle_event'] ?? '')) onParentGone(() => stop('SIGTERM'));
  });
}

/**
 * Calls a function once when the parent process has ended: npm passes a signal on to its shell only, and ends with
 * that.
 */
function onParentGone(listener: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    listener();
  }, parentIntervalMilliseconds).unref();
}

export interface Interruption {
  /** Aborted at the first signal: nothing new may begin. */
  readonly stopping: AbortSignal;
  /** Aborted 3 seconds later, or by `end`: requests in flight are abandoned. */
  readonly ending: AbortSignal;
  readonly end: () => void;
  /** Stops listening for signals. */
  readonly release: () => void;
}

/** Lets SIGINT and SIGTERM, from now on, interrupt a command that can be continued later. */
export function interruptOnSignals(): Interruption {
  const stopping = new AbortController();
  const ending = new AbortController();
  const release = listenForSignals(() => {
    stopping.abort();
    setTimeout(() => ending.abort(), graceMilliseconds).unref();
  });
  return { stopping: stopping.signal, ending: ending.signal, end: () => ending.abort(), release };
}

/** Calls a function at the first signal; a later one ends the process at once. @returns a function that stops listening */
function listenForSignals(onFirst: (signal: NodeJS.Signals) => void): () => void {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = performance.now();
      onFirst(signal);
    } else if (performance.now() - firstAt > echoMilliseconds) {
      process.exit(128 + constants.signals[signal]);
    }
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
}
