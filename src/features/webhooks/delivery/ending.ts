// Signals for work that ends when the process stops.
import { setMaxListeners } from 'node:events';

/**
 * Runs work with a signal of its own, which is aborted at the work's end, too. AbortSignal.any would leave something of each work
 * with the signal that lasts.
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
    // As many as there is work under way.
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
