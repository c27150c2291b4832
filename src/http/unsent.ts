// Bounds the memory of responses that clients do not read: they wait in the process until the connection takes them, as
// do the texts that streams send in parts.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpRequest } from './messages.ts';

/** The bytes that may wait, of all responses together. */
export const maxUnsent = 67_108_864;

/** The time after its last progress for which a reader counts as reading, in milliseconds. */
export const maxStill = 2_000;

/** The properties of a response that are measured here. */
export type UnsentResponse = Pick<ServerResponse, 'writableLength' | 'socket'> & {
  readonly req: Pick<HttpRequest, 'network'>;
  readonly destroy: () => unknown;
};

/** A text that is sent in parts, possibly to several readers: it is held until all of them have the whole of it. */
export interface HeldText {
  readonly bytes: number;
}

/** A response that is made, but not sent to the end. */
interface Waiting {
  readonly response: UnsentResponse;
  /** The text that its next parts belong to; null if the rest is its own. */
  readonly text: HeldText | null;
  /** A number that falls while the reader takes something. */
  left: number;
  /** The time at which it was last seen to fall, on the clock of performance.now; at first, that of its making. */
  readAt: number;
  hasRead: boolean;
}

/**
 * The waiting responses, the oldest first. A Set would get a new table after every few dozen additions and deletions.
 * V8 has the old table refer to the new one, so that one table in the old generation would keep all later ones, and the
 * requests in them, until the next full garbage collection.
 */
const unsent: Waiting[] = [];

/** The number of responses that wait for parts of a text; below, the bytes of all such texts together. */
const readersOf = new WeakMap<HeldText, number>();
let heldBytes = 0;

/**
 * Counts a response from its making until it is sent. While too many bytes wait, connections are closed: first those of
 * the address for which most wait, but reading clients are kept before stalled ones.
 */
export function limitUnsent(response: ServerResponse & UnsentResponse): void {
  // A sent response is closed, too.
  response.on('prefinish', () => countUnsent(response)).on('close', () => forgetUnsent(response));
}

/**
 * Counts the unsent bytes of a response, as `limitUnsent` does, until `forgetUnsent` is called.
 * @param text counted once, however many responses are sent parts of it
 */
export function countUnsent(response: UnsentResponse, text: HeldText | null = null, now = performance.now()): void {
  unsent.push({ response, text, left: measureLeft(response), readAt: now, hasRead: false });
  if (text !== null) changeReaders(text, 1);
  let waiting = 0;
  for (const each of unsent) {
    waiting += each.response.writableLength;
    const left = measureLeft(each.response);
    if (left < each.left) [each.readAt, each.hasRead] = [now, true];
    each.left = left;
  }
  while (waiting + heldBytes > maxUnsent) {
    const first = findFirst(now);
    if (first === null) return;
    forgetUnsent(first);
    waiting -= first.writableLength;
    first.destroy();
  }
}

export function forgetUnsent(response: UnsentResponse): void {
  const at = unsent.findLastIndex((each) => each.response === response);
  const [forgotten] = at >= 0 ? unsent.splice(at, 1) : [];
  if (forgotten?.text) changeReaders(forgotten.text, -1);
}

function changeReaders(text: HeldText, more: 1 | -1): void {
  const before = readersOf.get(text) ?? 0;
  readersOf.set(text, before + more);
  if (before === 0) heldBytes += text.bytes;
  else if (before + more === 0) heldBytes -= text.bytes;
}

/** The bytes that wait for a response's reader; a text that several wait for is divided among them. */
function measureWaiting({ response, text }: Waiting): number {
  return response.writableLength + (text === null ? 0 : text.bytes / (readersOf.get(text) ?? 1));
}

/**
 * Finds the response to give up first. An address for which more than half of the bytes wait loses before all others.
 * Otherwise readers that have stood still for some time lose before new ones, which have read nothing yet, and these
 * before reading ones. Among equals the address for which most bytes wait loses, and of its readers the one that has
 * stood still for longest.
 */
function findFirst(now: number): UnsentResponse | null {
  const bytes = new Map<string, number>();
  for (const each of unsent) {
    const { network } = each.response.req;
    bytes.set(network, (bytes.get(network) ?? 0) + measureWaiting(each));
  }
  const ranked = unsent.map((each) => {
    const ofAddress = bytes.get(each.response.req.network) ?? 0;
    const rank = now - each.readAt >= maxStill ? 0 : each.hasRead ? 2 : 1;
    const { response, readAt } = each;
    return { response, readAt, rank, ofAddress, claim: ofAddress > maxUnsent / 2 ? 0 : 1 };
  });
  ranked.sort((a, b) => a.claim - b.claim || a.rank - b.rank || b.ofAddress - a.ofAddress || a.readAt - b.readAt);
  return ranked[0]?.response ?? null;
}

/**
 * Measures the distance of a response from being taken. Its own length stays the same until the connection has taken
 * the whole of a write; the rest that libuv holds falls with each piece.
 */
function measureLeft({ writableLength, socket }: UnsentResponse): number {
  const { _handle: handle } = (socket ?? {}) as Partial<Socket> & { _handle?: { writeQueueSize?: number } | null };
  return writableLength + (handle?.writeQueueSize ?? 0);
}

/**
 * Removes a response from a list: the search begins at its end, because most responses end soon after they were added.
 */
export function removeRecent(list: ServerResponse[], response: ServerResponse): void {
  const at = list.lastIndexOf(response);
  if (at >= 0) list.splice(at, 1);
}
