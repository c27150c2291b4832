// Server-Sent Events (the HTML standard, "Server-sent events"), the form of streams in both doors (docs/contract.md §9.2).
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import accepts from 'accepts';
import type { HttpResponse } from './messages.ts';
import { countUnsent, forgetUnsent, type HeldText } from './unsent.ts';

export const eventStreamType = 'text/event-stream';

/** The longest silence of a stream, in milliseconds: then a comment shows that it lives. */
export const maxSilence = 15_000;

/** A part of a stream: text of its own, or a part of a text, in bytes if several streams send the same. */
export type StreamPart = string | { readonly part: string | Uint8Array; readonly text: HeldText };

interface StreamedEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: string;
}

/** Formats an event. Its data may have several lines. */
export function formatEvent({ id, event, data }: StreamedEvent): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\n${lines.join('')}\n`;
}

/** The approximate size of a write to several streams, in bytes. */
const packedBytes = 65_536;

/** Packs formatted events for several streams: small ones together, because each part is a write of its own. */
export function packEvents(events: readonly string[]): {
  readonly bytes: number;
  readonly parts: readonly Uint8Array[];
} {
  const parts: Uint8Array[] = [];
  let text = '';
  for (const event of events) {
    text += event;
    if (text.length < packedBytes) continue;
    parts.push(Buffer.from(text));
    text = '';
  }
  if (text !== '') parts.push(Buffer.from(text));
  return { bytes: parts.reduce((sum, { byteLength }) => sum + byteLength, 0), parts };
}

/** Whether a client prefers a stream to other types, by the header Accept; false without the header. */
export function prefersEvents(accept: string | undefined, others: readonly string[]): boolean {
  if (accept === undefined) return false;
  // `accepts` reads nothing but the headers.
  const request: Pick<IncomingMessage, 'headers'> = { headers: { accept } };
  return accepts(request as IncomingMessage).type([...others, eventStreamType]) === eventStreamType;
}

/**
 * Sends a stream until it ends or its reader is gone. The next part is pulled when the reader has taken the last one; a
 * reader that stalls is disconnected.
 * @param maxStalled the longest time to take a part, in milliseconds
 */
export async function sendEvents(
  response: HttpResponse,
  parts: AsyncIterable<StreamPart> | Iterable<StreamPart>,
  maxStalled: number,
): Promise<void> {
  response.statusCode = 200;
  response.setHeader('Content-Type', `${eventStreamType}; charset=utf-8`);
  response.setHeader('Cache-Control', 'no-store');
  // Otherwise nginx would buffer.
  response.setHeader('X-Accel-Buffering', 'no');
  // The connection ends with the stream: otherwise it would delay the end of the process.
  response.shouldKeepAlive = false;
  for await (const given of parts) {
    if (response.destroyed) return;
    const { part, text } = typeof given === 'string' ? { part: given, text: null } : given;
    if (!response.write(part)) await waitUntilRead(response, text, maxStalled);
  }
  response.end();
}

/** Waits until the connection takes more. Closes it after too long a wait. */
async function waitUntilRead(response: HttpResponse, text: HeldText | null, maxStalled: number): Promise<void> {
  const isRead = new AbortController();
  const { signal } = isRead;
  const timer = setTimeout(() => response.destroy(), maxStalled);
  countUnsent(response, text);
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    clearTimeout(timer);
    forgetUnsent(response);
    isRead.abort();
  }
}
