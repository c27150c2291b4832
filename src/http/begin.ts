// What happens to every request first: it gets its id, and its client's address; its response gets the headers that all
// responses have, and those for scripts of other origins (docs/contract.md §5.1); and its end is told (requestEnd.ts).
import { randomUUID } from 'node:crypto';
import cors from 'cors';
import proxyAddr, { type Trust } from 'proxy-addr';
import { networkKey } from '../admission/rateLimits.ts';
import { fail } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { tokenPattern } from '../base/redaction.ts';
import type { OperationObserver } from '../telemetry/account.ts';
import type { HttpRequest, HttpResponse } from './messages.ts';
import { createRequestEnd, type EndDependencies, type RequestObserver } from './requestEnd.ts';

export type BeginConfig = Pick<Config, 'production' | 'corsOrigins' | 'trustProxy' | 'rateLimits'>;

/**
 * The headers that are the same in all responses. Pages have further ones (src/browser/policy.ts). A request without `Origin` gets no
 * headers of CORS, and is told of `Vary: Origin` all the same: a cache would give its answer to scripts of other origins otherwise,
 * which could not read it (Fetch standard, "CORS protocol and HTTP caches").
 */
const constantHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'private, no-cache',
  Vary: 'Accept-Encoding, Authorization, X-Service-Site, Session-Token, X-Service-Session-Token, Origin',
  // No browser takes an answer for HTML or a script because of what an entry holds.
  'X-Content-Type-Options': 'nosniff',
};

/** Headers that scripts of other origins may read. */
const exposedHeaders = [
  'Accept-Patch',
  'Allow',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
  'X-Next-Cursor',
  'X-Page',
  'X-Per-Page',
  'X-Total-Count',
  'X-Total-Pages',
  'X-Total-Count-At-Least',
];

/** Those that are sent, and can be read, only with RATE_LIMIT_LEGACY_HEADERS. */
const legacyExposedHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** The origins of Apollo's hosted Sandbox, to which GraphiQL links. In development they are allowed in addition to CORS_ORIGINS. */
const sandboxOrigins = ['https://studio.apollographql.com', 'https://sandbox.embed.apollographql.com'];

/** A caller's request id is used if it has this form, which is safe in any log. */
const requestIdShape = /^[\w.:+/=@-]{1,128}$/;

/** Whether a header can be the id of its request. One that was sent several times is joined, and a comma is in none. */
function isRequestId(sent: string | string[] | undefined): sent is string {
  return typeof sent === 'string' && requestIdShape.test(sent) && !sent.match(tokenPattern);
}

/** How many characters of an address the log has. */
const maxAddress = 100;

/** What a request needs until its end. */
export interface BeginDependencies extends EndDependencies {
  /** Counts requests and their operations; null: nobody does. */
  readonly metrics: (RequestObserver & OperationObserver) | null;
}

/** Creates the function that begins requests. */
export function createBegin(
  config: BeginConfig,
  { metrics, ...ending }: BeginDependencies,
): (request: HttpRequest, response: HttpResponse) => void {
  const crossOrigin = allowOrigins(config);
  const trust = trustProxies(config.trustProxy);
  const hasLegacyRateLimit = config.rateLimits?.legacyHeaders ?? false;
  const endRequest = createRequestEnd({ metrics, ...ending });
  return (request, response) => {
    const { 'x-request-id': given, origin, upgrade } = request.headers;
    request.id = isRequestId(given) ? given : randomUUID();
    const { remoteAddress } = request.socket;
    request.isFromProxy = trust(remoteAddress, 0);
    const address = (request.isFromProxy ? proxyAddr(request, trust) : remoteAddress) ?? '';
    request.network = networkKey(address);
    request.account.requestId = request.id;
    // What a proxy forwards may be any text.
    request.account.address = address.slice(0, maxAddress);
    request.account.observer = metrics;
    request.account.answer = response;
    response.begunAt = performance.now();
    response.once('close', endRequest);
    response.setHeader('X-Request-Id', request.id);
    response.setAll(constantHeaders);
    response.hasLegacyRateLimit = hasLegacyRateLimit;
    if (origin !== undefined) crossOrigin(request, response, doNothing);
    if (upgrade !== undefined) refuseWebSocket(upgrade);
  };
}

/**
 * Refuses the handshake of a WebSocket (RFC 6455 §4.1), at any path: otherwise it would be answered as the request that it
 * seems to be, with words on a token or a document that the client has not sent yet.
 */
function refuseWebSocket(upgrade: string): void {
  const protocols = upgrade.split(',').map((protocol) => protocol.trim().toLowerCase());
  if (!protocols.includes('websocket')) return;
  fail(
    'bad_request',
    'There are no WebSockets here. Subscriptions of GraphQL come as Server-Sent Events: POST /graphql/stream, as graphql-sse has it.',
  );
}

function doNothing(): void {
  // What is called next is called by the caller.
}

/** Tells which addresses are trusted proxies'. @throws TypeError if an address or a network is none */
export function trustProxies(trusted: Config['trustProxy']): Trust {
  return typeof trusted === 'number' ? (_address, hop) => hop < trusted : proxyAddr.compile(trusted || []);
}

/** Allows the configured origins, or any if there are none, without credentials. The routes answer OPTIONS themselves. */
function allowOrigins({ production, corsOrigins, rateLimits }: BeginConfig): ReturnType<typeof cors> {
  const named = corsOrigins && [...corsOrigins, ...(production ? [] : sandboxOrigins)];
  const exposed = rateLimits?.legacyHeaders ? [...exposedHeaders, ...legacyExposedHeaders] : exposedHeaders;
  return cors({ origin: named ?? '*', exposedHeaders: exposed, maxAge: 86_400, preflightContinue: true });
}
