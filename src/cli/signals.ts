// The signals that end a service: the first lets it finish, a second one ends it at once.
import { constants } from 'node:os';

/** When the process is gone whatever it waits for, in milliseconds after the first signal: within 10 seconds. */
const hardLimit = 9_000;

/** Within this time a signal is an echo of the first: npm sends Ctrl-C to the service a second time. */
const echoLimit = 1_000;

/** Resolves, with its name, at the first SIGTERM or SIGINT from now on. */
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (signal: 'SIGTERM' | 'SIGINT'): void => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        setTimeout(() => process.exit(0), hardLimit).unref();
        resolve(signal);
      } else if (performance.now() - firstAt > echoLimit) {
        process.exit(128 + constants.signals[signal]);
      }
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
