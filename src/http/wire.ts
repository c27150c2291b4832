// Guards the HTTP/1.1 server (RFC 9112). Requests that Node's parser refuses get a response in the form of every other
// refusal. Requests that Node accepts, but that a proxy might parse as other or more requests, are refused: otherwise
// an attacker could slip a request past that proxy (request smuggling, RFC 9112 §11.2).
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { HttpRequest, HttpResponse, type HttpListener, type HttpServer } from './messages.ts';
import { formatProblemResponse, type ProblemSource } from './problem.ts';
import { limitUnsent, removeRecent } from './unsent.ts';

/**
 * Options for a server that `guardWire` guards. It checks the Host header itself, so that the refusal has the usual
 * form; its requests and responses have the classes that the handlers take.
 */
export const wireOptions = { requireHostHeader: false, IncomingMessage: HttpRequest, ServerResponse: HttpResponse };

const malformed: ProblemSource = {
  code: 'bad_request',
  status: 400,
  detail: 'This is not a well-formed HTTP request.',
};

/** Refusals by Node's error codes; any other error is `malformed`. */
const byParserCode: Readonly<Record<string, ProblemSource>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    ...malformed,
    status: 408,
    title: 'Request timeout',
    detail: 'The request did not arrive in time.',
  },
  HPE_HEADER_OVERFLOW: {
    ...malformed,
    status: 431,
    title: 'Request header fields too large',
    detail: 'The request line and the headers are larger than 16 kB.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'payload_too_large',
    status: 413,
    detail: 'The extensions of a chunk are too large.',
  },
};

export interface WireDependencies {
  readonly log: Logger;
  /** Counts unparsable requests; null without metrics. */
  readonly metrics: { readonly countUnreadable: (status: number) => void } | null;
}

/**
 * Passes a server's requests to `handle`, except unparsable and ambiguous ones. These are refused here, and their
 * connection is closed, because it is uncertain where the next request begins.
 * @param handle also receives requests with an unknown `Expect`, which a server may ignore (RFC 9110 §10.1.1)
 * @returns the responses being sent: a connection in the middle of one is closed without a second response
 */
export function guardWire(
  server: HttpServer,
  handle: HttpListener,
  { log, metrics }: WireDependencies,
): readonly ServerResponse[] {
  const underway: ServerResponse[] = [];
  const refused = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, problem: ProblemSource, reason: string, isHead: boolean): void => {
    refused.add(socket);
    const isAnswering = underway.some((response) => response.socket === socket && response.headersSent);
    if (isAnswering || !socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = randomUUID();
    const { remoteAddress: address } = socket as Partial<Socket>;
    log.info({ requestId, status: problem.status, codes: [problem.code], reason, address }, 'unreadable request');
    metrics?.countUnreadable(problem.status);
    socket.end(formatProblemResponse(problem, requestId, isHead), () => socket.destroy());
  };
  const listener: HttpListener = (request, response) => {
    // Bytes that followed a refused request may belong to it.
    if (refused.has(request.socket)) return;
    const detail = findAmbiguity(request);
    if (detail !== null) {
      refuse(request.socket, { ...malformed, detail }, 'ambiguous', request.method === 'HEAD');
      return;
    }
    closeWithSocket(response, request.socket, underway);
    limitUnsent(response);
    handle(request, response);
  };
  // No limit: Node would silently drop further headers, such as a session token or a condition. Their total size is limited.
  server.maxHeadersCount = 0;
  server.on('request', listener);
  server.on('checkExpectation', listener);
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Duplex) => {
    const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
    refuse(socket, byParserCode[error.code ?? ''] ?? malformed, error.code ?? error.name, isHead);
  });
  return underway;
}

/**
 * Whether an absolute target names another host than the Host header. A proxy then routes by the target (RFC 9112
 * §3.2.2), while this service reads the header.
 */
function namesOtherHost(url: string, host: string | undefined): boolean {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?]*)/i.exec(url)?.[1];
  return authority !== undefined && host !== undefined && authority.toLowerCase() !== host.toLowerCase();
}

/** The unclosed responses of each connection, in a list for the reason that unsent.ts gives about sets. */
const ofSocket = new WeakMap<Socket, ServerResponse[]>();

/**
 * Closes a response when its connection is closed. Node closes only the one that is being sent, and not those that wait
 * behind it.
 */
function closeWithSocket(response: ServerResponse, socket: Socket, underway: ServerResponse[]): void {
  underway.push(response);
  const responses = ofSocket.get(socket) ?? [];
  responses.push(response);
  response.on('close', () => {
    removeRecent(underway, response);
    removeRecent(responses, response);
  });
  if (ofSocket.has(socket)) return;
  ofSocket.set(socket, responses);
  socket.once('close', () => {
    for (const waiting of [...responses]) {
      waiting.destroy();
      waiting.emit('close');
    }
  });
}

/**
 * The reason for which a proxy could parse a request in another way than Node did; null if none could (RFC 9112 §2.6,
 * §3.2, §6.1).
 */
function findAmbiguity({ headersDistinct, httpVersion, httpVersionMajor, url }: HttpRequest): string | null {
  const hosts = headersDistinct['host'] ?? [];
  const codings = headersDistinct['transfer-encoding'];
  if (httpVersionMajor !== 1) return 'Send HTTP/1.1.';
  if (hosts.length > 1) return 'The Host header is repeated.';
  if (hosts.length === 0 && httpVersion !== '1.0') return 'The Host header is missing.';
  if (url.includes('#')) return 'The request target contains a fragment.';
  if (!url.startsWith('/') && namesOtherHost(url, hosts[0]))
    return 'The request target names another host than the Host header.';
  if (codings === undefined) return null;
  const isChunked = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked';
  return isChunked && httpVersion !== '1.0' ? null : 'Transfer-Encoding must be chunked alone, and in HTTP/1.1.';
}
