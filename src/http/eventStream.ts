// Server-Sent Events (the HTML standard, "Server-sent events"), the form of streams in both doors (docs/contract.md §9.2).
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import accepts from 'accepts';
import type { HttpResponse } from './messages.ts';
import { countUnsent, forgetUnsent, type HeldText } from './unsent.ts';

export const eventStreamType = 'text/event-stream';

/** How long a stream is silent at most, in milliseconds: then a comment shows that it lives. */
export const maxSilence = 15_000;

/** A part of a stream: its own, or one of a text, which has it as bytes where several streams send the same. */
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

/** About how many bytes are sent at once of what several streams send. */
const packedBytes = 65_536;

/** Packs formatted events for several streams: small ones together, because each part is written by itself. */
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

/** Whether a client wants a stream rather than one of other types, by the header Accept. Absent: it does not. */
export function prefersEvents(accept: string | undefined, others: readonly string[]): boolean {
  if (accept === undefined) return false;
  // All that is read of a request.
  const request: Pick<IncomingMessage, 'headers'> = { headers: { accept } };
  return accepts(request as IncomingMessage).type([...others, eventStreamType]) === eventStreamType;
}

/**
 * Sends a stream until it ends or its reader is gone. The next part is asked for when the reader has taken the last one; a reader
 * that does not read is let go.
 * @param maxStalled how long it may take to read what was sent, in milliseconds
 */
export async function sendEvents(
  response: HttpResponse,
  parts: AsyncIterable<StreamPart> | Iterable<StreamPart>,
  maxStalled: number,
): Promise<void> {
  response.statusCode = 200;
  response.setHeader('Content-Type', `${eventStreamType}; charset=utf-8`);
  response.setHeader('Cache-Control', 'no-store');
  // nginx would wait for more to send.
  response.setHeader('X-Accel-Buffering', 'no');
  // The connection ends with the stream: it would delay the end of the process otherwise.
  response.shouldKeepAlive = false;
  for await (const given of parts) {
    if (response.destroyed) return;
    const { part, text } = typeof given === 'string' ? { part: given, text: null } : given;
    if (!response.write(part)) await waitUntilRead(response, text, maxStalled);
  }
  response.end();
}

/** Waits until the connection takes more. Closes it where that takes too long. */
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
