// Bounds the memory of answers that clients do not read: they wait in the process until the connection takes them.
import type { ServerResponse } from 'node:http';

/** How many bytes may wait, of all answers together. */
const maxUnsent = 67_108_864;

/**
 * Answers that are made, but not sent to the end, the oldest first. It is no Set, which gets a new table each time that it was
 * filled and emptied some dozen times: V8 has the old table refer to the new one, so that one table in the old generation keeps
 * all later ones, and the requests in them, until the next full garbage collection.
 */
const unsent: ServerResponse[] = [];

/**
 * Counts a response from when it is made until it is sent. If too many bytes wait, the connections whose answers have waited
 * for longest are closed.
 */
export function limitUnsent(response: ServerResponse): void {
  // A response that is sent is closed, too.
  response.on('prefinish', () => countUnsent(response)).on('close', () => forgetUnsent(response));
}

/** Counts what a response has not sent yet, as `limitUnsent` does, until `forgetUnsent` is called. */
export function countUnsent(response: ServerResponse): void {
  unsent.push(response);
  let waiting = 0;
  for (const { writableLength } of unsent) waiting += writableLength;
  while (waiting > maxUnsent) {
    const oldest = unsent.shift();
    waiting -= oldest?.writableLength ?? waiting;
    oldest?.destroy();
  }
}

export function forgetUnsent(response: ServerResponse): void {
  removeRecent(unsent, response);
}

/** Removes a response from a list: the search begins at its end, because most responses end soon after they were added. */
export function removeRecent(list: ServerResponse[], response: ServerResponse): void {
  const at = list.lastIndexOf(response);
  if (at >= 0) list.splice(at, 1);
}
