// Stops an HTTP server: that of the public port, and that of the socket of commands.
import { setTimeout as sleep } from 'node:timers/promises';

/** Closes a server when the responses in flight are sent, but no later than after some milliseconds. */
export async function drain(
  server: { close: (done: () => void) => unknown; closeAllConnections: () => void },
  maxMilliseconds: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const limit = new AbortController();
  await Promise.race([closed, sleep(maxMilliseconds, undefined, { signal: limit.signal })]);
  limit.abort();
  server.closeAllConnections();
}
