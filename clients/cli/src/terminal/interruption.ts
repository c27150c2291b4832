// What SIGINT and SIGTERM do to a command: the first one asks it to finish, a later one ends the process at once.
import { constants } from 'node:os';

/** A second signal within this time repeats the first: npm forwards a Ctrl-C that the process got from the terminal, too. */
const echoMilliseconds = 1_000;

/** How long a command waits, after the first signal, for the answers to requests in flight. */
const graceMilliseconds = 3_000;

export interface Interruption {
  /** Aborted at the first signal: nothing new may begin. */
  readonly stopping: AbortSignal;
  /** Aborted 3 seconds later, or by `end`: requests in flight are given up. */
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
export function listenForSignals(onFirst: (signal: NodeJS.Signals) => void): () => void {
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
