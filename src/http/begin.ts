// Begins every request: it gets its id and the address of its client; its response gets the headers of all responses
// and those of CORS (docs/contract.md §5.1). Its end is logged and counted by requestEnd.ts.
import { randomUUID } from 'node:crypto';
import cors from 'cors';
import proxyAddr, { type Trust } from 'proxy-addr';
import { networkKey } from '../admission/rateLimits.ts';
import { fail } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { tokenPattern } from '../base/redaction.ts';
import type { OperationObserver } from '../telemetry/requestStats.ts';
import type { HttpRequest, HttpResponse } from './messages.ts';
import { createRequestEnd, type EndDependencies, type RequestObserver } from './requestEnd.ts';

export type BeginConfig = Pick<Config, 'production' | 'corsOrigins' | 'trustProxy' | 'rateLimits'>;

/**
 * The headers that all responses have. Pages add more (src/browser/policy.ts). A request without `Origin` gets no CORS
 * headers, but gets `Vary: Origin` all the same: otherwise a cache would give its response to scripts of other origins,
 * which could not read it (Fetch standard, "CORS protocol and HTTP caches").
 */
const constantHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'private, no-cache',
  Vary: 'Accept-Encoding, Authorization, X-Service-Site, Session-Token, X-Service-Session-Token, Origin',
  // Browsers must not sniff HTML or a script in the content of an entry.
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

/** Headers that are sent and exposed only with RATE_LIMIT_LEGACY_HEADERS. */
const legacyExposedHeaders = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/**
 * The origins of Apollo's hosted Sandbox, to which GraphiQL links. Development allows them in addition to CORS_ORIGINS.
 */
const sandboxOrigins = ['https://studio.apollographql.com', 'https://sandbox.embed.apollographql.com'];

/** The form of a caller's request id that is used; it is safe in any log. */
const requestIdShape = /^[\w.:+/=@-]{1,128}$/;

/** Whether a header can be the id of its request. Node joins repeated headers with commas, which no id has. */
function isRequestId(sent: string | string[] | undefined): sent is string {
  return typeof sent === 'string' && requestIdShape.test(sent) && !sent.match(tokenPattern);
}

/** The number of an address's characters that the log gets. */
const maxAddress = 100;

/** The parts that a request needs until its end. */
export interface BeginDependencies extends EndDependencies {
  /** Counts requests and their operations; null without metrics. */
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
    // A proxy may forward any text as the address.
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
 * Refuses the handshake of a WebSocket (RFC 6455 §4.1), at any path: otherwise the response would concern a token or a
 * document that the client has not sent yet.
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
  // The caller calls `next`.
}

/** Makes the check for addresses of trusted proxies. @throws TypeError if an address or a network is invalid */
export function trustProxies(trusted: Config['trustProxy']): Trust {
  return typeof trusted === 'number'
    ? (_address, hop) => hop < trusted
    : proxyAddr.compile(trusted === false ? [] : trusted);
}

/**
 * Allows the configured origins, or any without configuration, always without credentials. The routes answer OPTIONS
 * themselves.
 */
function allowOrigins({ production, corsOrigins, rateLimits }: BeginConfig): ReturnType<typeof cors> {
  const named = corsOrigins && [...corsOrigins, ...(production ? [] : sandboxOrigins)];
  const exposed = rateLimits?.legacyHeaders ? [...exposedHeaders, ...legacyExposedHeaders] : exposedHeaders;
  return cors({ origin: named ?? '*', exposedHeaders: exposed, maxAge: 86_400, preflightContinue: true });
}
