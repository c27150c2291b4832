// Signals for work that ends when the process stops.
import { setMaxListeners } from 'node:events';

/**
 * Runs work with a signal of its own, which is also aborted at the work's end. AbortSignal.any would leave something of
 * each work with the lasting signal.
 * @param stopping ends all such work
 */
export async function runUntil<Result>(
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  if (stopping.aborted) end();
  else {
    // One listener for each running work.
    setMaxListeners(0, stopping);
    stopping.addEventListener('abort', end);
  }
  try {
    return await work(ending.signal);
  } finally {
    stopping.removeEventListener('abort', end);
    end();
  }
}
