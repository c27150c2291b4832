// Handles SIGINT and SIGTERM of a service: the first one asks it to finish, a later one ends the process at once.
import { listenForSignals } from '../../../clients/cli/src/terminal/interruption.ts';

/** Interval at which a service that npm runs checks whether npm still exists. */
const parentIntervalMilliseconds = 200;

/** Maximum time after the first signal until a service ends. It promises 10 seconds. */
const maxStoppingMilliseconds = 9_000;

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
