// A reader of Server-Sent Events, over a connection of its own.
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Credentials } from './as.ts';

export interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  readonly retry?: string;
  /** Whether a comment came. */
  readonly comment?: string;
}

export interface EventReader {
  readonly status: number;
  readonly response: IncomingMessage;
  /** The next events with data; fewer where the stream ends before. */
  readonly take: (count: number) => Promise<StreamEvent[]>;
  /** All blocks that came so far, comments too. */
  readonly blocks: readonly StreamEvent[];
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;
  /** The body of an answer that is no stream. */
  readonly text: () => Promise<string>;
  readonly close: () => void;
}

/** Opens a stream. */
export async function openEvents(
  { url }: { url: string },
  path: string,
  { token = '', session, site }: Credentials,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: object,
): Promise<EventReader> {
  const sent: ClientRequest = request(url + path, {
    agent: false,
    method,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      Accept: 'text/event-stream',
      Authorization: `Bearer ${token}`,
      ...(session !== undefined && { 'Session-Token': session }),
      ...(site !== undefined && { 'X-Service-Site': site }),
      ...headers,
    },
  });
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  sent.on('error', () => undefined);
  const blocks: StreamEvent[] = [];
  const waiting = new Set<() => void>();
  let text = '';
  let taken = 0;
  let isOver = false;
  const tell = (): void => {
    for (const wake of [...waiting]) wake();
  };
  response.setEncoding('utf8');
  response.on('data', (part: string) => {
    text += part;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      blocks.push(parseBlock(text.slice(0, end)));
      text = text.slice(end + 2);
    }
    tell();
  });
  const ended = new Promise<void>((resolve) => {
    response.on('close', () => {
      isOver = true;
      tell();
      resolve();
    });
  });
  response.on('error', () => undefined);
  return {
    status: response.statusCode ?? 0,
    response,
    blocks,
    ended,
    text: async () => {
      await ended;
      return text;
    },
    take: async (count) => {
      const withData = (): StreamEvent[] => blocks.filter(({ data }) => data !== undefined);
      while (!isOver && withData().length < taken + count) {
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
        });
      }
      waiting.clear();
      const events = withData().slice(taken, taken + count);
      taken += events.length;
      return events;
    },
    close: () => sent.destroy(),
  };
}

function parseBlock(block: string): StreamEvent {
  const event: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
    const key = name === '' ? 'comment' : name;
    event[key] = key in event ? `${event[key]}\n${value}` : value;
  }
  return event;
}
