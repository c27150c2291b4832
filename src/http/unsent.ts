// Bounds the memory of answers that clients do not read: they wait in the process until the connection takes them.
import type { ServerResponse } from 'node:http';

/** How many bytes may wait, of all answers together. */
const maxUnsent = 67_108_864;

/** Answers that are made, but not sent to the end, the oldest first. */
const unsent = new Set<ServerResponse>();

/**
 * Counts a response from when it is made until it is sent. If too many bytes wait, the connections whose answers have waited
 * for longest are closed.
 */
export function limitUnsent(response: ServerResponse): void {
  response.on('prefinish', () => void countUnsent(response));
  const forget = (): unknown => unsent.delete(response);
  response.on('finish', forget).on('close', forget);
}

/** Counts what a response has not sent yet, as `limitUnsent` does. @returns ends that */
export function countUnsent(response: ServerResponse): () => void {
  unsent.add(response);
  let waiting = 0;
  for (const { writableLength } of unsent) waiting += writableLength;
  for (const oldest of unsent) {
    if (waiting <= maxUnsent) break;
    waiting -= oldest.writableLength;
    unsent.delete(oldest);
    oldest.destroy();
  }
  return () => void unsent.delete(response);
}
