// The edge of HTTP itself (RFC 9112): what Node's parser refuses gets an answer as every other request does, and what it
// lets pass though others on the way may read it differently is refused.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { errorTable, type ErrorCode } from '../errors.ts';

/** Options of a server that is guarded: what the parser would refuse in its own way is left to the guard. */
export const wireOptions = { requireHostHeader: false };

interface Unreadable {
  readonly status: number;
  readonly title: string;
  readonly code: ErrorCode;
  readonly detail: string;
}

const badRequest: Unreadable = {
  ...errorTable.bad_request,
  code: 'bad_request',
  detail: 'This is no well-formed HTTP request.',
};

/** What the parser's errors amount to, by Node's codes. */
const byParserCode: Readonly<Record<string, Unreadable>> = {
  HPE_HEADER_OVERFLOW: {
    ...badRequest,
    status: 431,
    title: 'Request header fields too large',
    detail: 'The request line and the headers are larger than 16 kB.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    ...errorTable.payload_too_large,
    code: 'payload_too_large',
    detail: 'The extensions of a chunk are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    ...badRequest,
    status: 408,
    title: 'Request timeout',
    detail: 'The request did not come in time.',
  },
};

/**
 * Hands a server's requests on, but for those that can't be read, or that others would read otherwise.
 * @param handle takes requests; those too that expect more than there is, since a server may ignore that (RFC 9110 §10.1.1)
 * @param underway the answers that are being given: a connection in the middle of one gets no second
 */
export function guardWire(
  server: Server,
  handle: RequestListener,
  underway: ReadonlySet<ServerResponse>,
  log: Logger,
): void {
  const closing = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, unreadable: Unreadable, reason: string, isHead: boolean): void => {
    closing.add(socket);
    const isAnswering = [...underway].some((response) => response.socket === socket && response.headersSent);
    if (isAnswering || !socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = randomUUID();
    log.info({ requestId, status: unreadable.status, reason }, 'unreadable request');
    socket.end(answerTo(unreadable, requestId, isHead), () => socket.destroy());
  };
  const guarded: RequestListener = (request, response) => {
    // What came behind such a request, in the same bytes, may be part of it.
    if (closing.has(request.socket)) return;
    const detail = ambiguityOf(request);
    if (detail === null) handle(request, response);
    else refuse(request.socket, { ...badRequest, detail }, 'ambiguous', request.method === 'HEAD');
  };
  // Headers beyond a number would be dropped, a condition or a session among them; their size is limited anyway.
  server.maxHeadersCount = 0;
  server.on('request', guarded);
  server.on('checkExpectation', guarded);
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Duplex) => {
    const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
    refuse(socket, byParserCode[error.code ?? ''] ?? badRequest, error.code ?? error.name, isHead);
  });
}

/** A whole answer, as it goes over the wire; then the connection closes, since nobody knows where a next request begins. */
function answerTo({ status, title, code, detail }: Unreadable, requestId: string, isHead: boolean): string {
  const body = JSON.stringify({
    type: `urn:entryway:problem:${code}`,
    title,
    status,
    detail,
    code,
    request_id: requestId,
  });
  return [
    `HTTP/1.1 ${status} ${title}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: private, no-cache',
    'Connection: close',
    '',
    isHead ? '' : body,
  ].join('\r\n');
}

/** Why a request could be another one to a proxy before us, or null (RFC 9112 §2.6, §3.2, §6.1). */
function ambiguityOf({ headersDistinct, httpVersion, httpVersionMajor, url = '' }: IncomingMessage): string | null {
  const hosts = headersDistinct['host'] ?? [];
  const codings = headersDistinct['transfer-encoding'];
  if (httpVersionMajor !== 1) return 'Send HTTP/1.1.';
  if (hosts.length > 1) return 'The Host header is repeated.';
  if (hosts.length === 0 && httpVersion !== '1.0') return 'The Host header is missing.';
  if (url.includes('#')) return 'The request’s target holds a fragment.';
  if (codings === undefined) return null;
  const isChunked = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked';
  return isChunked && httpVersion !== '1.0' ? null : 'Send the body as it is, or chunked by HTTP/1.1.';
}
