// Sends one message to a receiver that may be slow, hostile or gone: within a time, and with a bounded answer
// (docs/contract.md §9).
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { WebhookConfig } from '../../../config/config.ts';
import { runUntil } from './ending.ts';
import { findUrlFault, PrivateAddressError } from './lookup.ts';

/** A message, and its address. */
export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer of a receiver: a status, or an error. */
export interface Answer {
  readonly status: number | null;
  readonly error: string | null;
  readonly milliseconds: number;
  /** The first bytes of the answer, as text; null without an answer. */
  readonly text: string | null;
}

/** The settings of sending. Durations are in milliseconds. */
export interface Post {
  readonly config: WebhookConfig;
  readonly lookup: LookupFunction;
  /** The time that a receiver has to answer. */
  readonly maxAnswering: number;
  /** Ends running requests. */
  readonly stopping: AbortSignal;
}

/** The size to which an answer is read and, below, the time for which it is read once its status is known. */
const maxAnswerBytes = 1_000;
const maxReading = 1_000;

/** Sends a message. Redirects are not followed, cookies not kept, connections not used again. Does not reject. */
export async function post(message: Message, { config, lookup, maxAnswering, stopping }: Post): Promise<Answer> {
  const begun = performance.now();
  const finish = (status: number | null, text: string | null, error: string | null): Answer => {
    return { status, text, error, milliseconds: Math.round(performance.now() - begun) };
  };
  const url = new URL(message.url);
  const fault = findUrlFault(url, config);
  if (fault !== null) return finish(null, null, `The URL ${fault}.`);
  const timeout = AbortSignal.timeout(maxAnswering);
  try {
    return await runUntil(stopping, async (signal) => {
      const response = await send(url, message, { lookup, signal: AbortSignal.any([timeout, signal]) });
      const { statusCode: status = 0 } = response;
      const text = await readStart(response);
      return finish(status, text, status >= 200 && status < 300 ? null : `The receiver answered ${status}.`);
    });
  } catch (error) {
    return finish(null, null, timeout.aborted ? `No answer within ${maxAnswering} ms.` : describePostError(error));
  }
}

function send(
  url: URL,
  { headers, body }: Message,
  options: { readonly lookup: LookupFunction; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)), 'accept-encoding': 'identity' };
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    request(url, { method: 'POST', agent: false, headers: { ...headers, ...length }, ...options })
      // Also emitted when the rest of an answer is not read.
      .on('error', reject)
      .on('response', resolve)
      .end(body);
  });
}

/** Reads the start of an answer, and closes its connection. An interrupted answer counts as far as it came. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => response.destroy(), maxReading);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxAnswerBytes) break;
    }
  } catch {
    // Its status came.
  } finally {
    clearTimeout(timer);
    response.destroy();
  }
  // PostgreSQL stores no zero bytes in texts.
  return Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString().replaceAll('\0', '\uFFFD');
}

/** Describes an error without revealing the network behind the service. */
function describePostError(error: unknown): string {
  if (error instanceof PrivateAddressError) return `The URL ${error.message}.`;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `The connection failed: ${code}.` : 'The connection failed.';
}
