// Ctrl-C: the first one lets the requests in flight be answered, a little later they are given up.
const grace = 3_000;

/** Within this time a signal is an echo of the first: npm sends Ctrl-C on a second time. */
const echo = 1_000;

export interface Interruption {
  /** Nothing new is to be begun. */
  readonly stopping: AbortSignal;
  /** What is under way is to end. */
  readonly ending: AbortSignal;
  /** Ends what is under way. */
  readonly end: () => void;
  /** Leaves signals to others again. */
  readonly release: () => void;
}

/** Heeds SIGINT and SIGTERM from now on. A second one ends the process at once: the state file is always right. */
export function heedSignals(): Interruption {
  const stopping = new AbortController();
  const ending = new AbortController();
  let firstAt: number | null = null;
  const onSignal = (): void => {
    if (firstAt !== null) {
      if (performance.now() - firstAt > echo) process.exit(1);
      return;
    }
    firstAt = performance.now();
    stopping.abort();
    setTimeout(() => ending.abort(), grace).unref();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    stopping: stopping.signal,
    ending: ending.signal,
    end: () => ending.abort(),
    release: () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}
