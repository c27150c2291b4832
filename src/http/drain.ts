// How a server of HTTP stops: for the public port, and for the socket of commands.
import { setTimeout as sleep } from 'node:timers/promises';

/** Closes a server when the responses in flight are sent, or after some milliseconds in spite of them. */
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
