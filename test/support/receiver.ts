// A receiver of webhooks: an HTTP server that answers as a test wants, and keeps what came.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What came. */
export interface Received {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: {
      readonly change: { cursor: string; type: string; id: string | null; version: number | null } | null;
      readonly entry: Record<string, unknown> | null;
    };
  };
}

/** Answers a message. @param count how many came before it */
export type Answering = (received: Received, response: ServerResponse, count: number) => void;

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Answers differently from now on. */
  answer: (answering: Answering) => void;
  /** Waits until so many messages came, and returns all. */
  readonly wait: (count: number) => Promise<Received[]>;
}

const accept: Answering = (_received, response) => void response.writeHead(204).end();

/** Starts a receiver that accepts all. */
export async function startReceiver(answering: Answering = accept): Promise<Receiver> {
  let current = answering;
  const received: Received[] = [];
  let waiting: (() => void)[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const headers = request.headers as Record<string, string>;
      const message = { path: request.url ?? '', headers, text, body: JSON.parse(text) as Received['body'] };
      received.push(message);
      current(message, response, received.length - 1);
      for (const wake of waiting.splice(0)) wake();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It keeps no test file from ending.
  server.unref().on('connection', (socket) => socket.unref());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    answer: (next) => {
      current = next;
    },
    wait: async (count) => {
      while (received.length < count) await new Promise<void>((resolve) => void (waiting = [...waiting, resolve]));
      return received;
    },
  };
}
