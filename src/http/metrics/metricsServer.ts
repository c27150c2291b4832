// Serves the metrics on a port of their own, so that the port of the service never shows them (docs/contract.md §13.3).
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';

/** The source of the metrics. */
export interface MetricsSource {
  readonly contentType: string;
  readonly read: () => Promise<string>;
}

/** The limits of a client of the metrics. */
const timeouts = { requestTimeout: 5_000, headersTimeout: 5_000, connectionsCheckingInterval: 1_000 };
const maxConnections = 64;

/** Creates the server of `GET /metrics`. It does not listen yet. */
export function createMetricsServer(metrics: MetricsSource, log: Logger): Server {
  const server = createServer({ ...timeouts, keepAliveTimeout: 30_000 }, (request, response) => {
    respond(request, response, metrics).catch((error: unknown) => {
      log.error({ err: error }, 'metrics not read');
      sendText(response, 500, 'The metrics could not be read.\n');
    });
  });
  server.maxConnections = maxConnections;
  return server;
}

async function respond(request: IncomingMessage, response: ServerResponse, metrics: MetricsSource): Promise<void> {
  const { method, url = '' } = request;
  if (url.split('?', 1)[0] !== '/metrics') sendText(response, 404, 'There is only /metrics here.\n');
  else if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    sendText(response, 405, 'This path supports only GET and HEAD.\n');
  } else sendText(response, 200, await metrics.read(), metrics.contentType);
}

function sendText(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) }).end(text);
}
