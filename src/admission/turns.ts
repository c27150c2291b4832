// How long a request holds what it waited for (src/admission/shares.ts): until its response is made, or its client is gone.
import type { ServerResponse } from 'node:http';

/** Emitted by a response whose request is held open: it gives back what it has. */
export const heldOpen = 'heldOpen';

/** How long a large answer may take to be sent before the next one is made, in milliseconds. */
export const maxSending = 2_000;

/**
 * Holds what was entered until the response is made, or its client is gone.
 * @param milliseconds for how long it is held on while the response is sent, but not for a client that takes its time
 */
export async function holdTurn(
  entering: Promise<() => void>,
  response: ServerResponse,
  milliseconds = 0,
): Promise<void> {
  const leave = await entering;
  if (response.writableEnded || response.destroyed) {
    leave();
    return;
  }
  // Each is emitted once, and leaving twice does nothing.
  response.on('close', leave).on(heldOpen, leave);
  if (milliseconds === 0) response.on('prefinish', leave);
  else response.on('finish', leave).on('prefinish', () => setTimeout(leave, milliseconds).unref());
}
