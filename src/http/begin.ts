// What happens to every request first: it gets its id, and its client's address; its response gets the headers that all
// responses have (docs/contract.md §5); and its end is told (requestEnd.ts).
import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import helmet from 'helmet';
import proxyAddr, { type Trust } from 'proxy-addr';
import { readHeader } from '../auth/identify.ts';
import { networkKey } from '../admission/rateLimits.ts';
import type { Config } from '../config/config.ts';
import { tokenPattern } from '../base/redaction.ts';
import type { OperationObserver } from '../telemetry/account.ts';
import type { HttpRequest, HttpResponse } from './messages.ts';
import { createRequestEnd, type EndDependencies, type RequestObserver } from './requestEnd.ts';

export type BeginConfig = Pick<Config, 'production' | 'corsOrigins' | 'trustProxy'>;

/** Headers that scripts of other origins may read (docs/contract.md §5). */
const exposedHeaders = [
  'Accept-Patch',
  'Allow',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
  'X-Next-Cursor',
  'X-Page',
  'X-Per-Page',
  'X-Total-Count',
  'X-Total-Pages',
  'X-Total-Count-At-Least',
];

/** The origins of Apollo's hosted Sandbox, to which GraphiQL links. In development they are allowed in addition to CORS_ORIGINS. */
const sandboxOrigins = ['https://studio.apollographql.com', 'https://sandbox.embed.apollographql.com'];

/** A caller's request id is used if it has this form, which is safe in any log. */
const requestIdShape = /^[\w.:+/=@-]{1,128}$/;

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
  const constant = readConstantHeaders(config, crossOrigin);
  const trust = trustProxies(config.trustProxy);
  const endRequest = createRequestEnd({ metrics, ...ending });
  return (request, response) => {
    const given = readHeader(request.headersDistinct, 'x-request-id') ?? '';
    request.id = requestIdShape.test(given) && !given.match(tokenPattern) ? given : randomUUID();
    const { remoteAddress } = request.socket;
    request.isFromProxy = trust(remoteAddress, 0);
    const address = (request.isFromProxy ? proxyAddr(request, trust) : remoteAddress) ?? '';
    request.network = networkKey(address);
    // What a proxy forwards may be any text.
    request.account.address = address.slice(0, maxAddress);
    request.account.observer = metrics;
    request.account.answer = response;
    response.begunAt = performance.now();
    response.once('close', endRequest);
    response.setHeader('X-Request-Id', request.id);
    for (const [name, value] of constant) response.setHeader(name, value);
    if (config.corsOrigins !== undefined || request.method === 'OPTIONS') crossOrigin(request, response, doNothing);
  };
}

function doNothing(): void {
  // What is called next is called by the caller.
}

/** Tells which addresses are trusted proxies'. @throws TypeError if an address or a network is none */
export function trustProxies(trusted: Config['trustProxy']): Trust {
  return typeof trusted === 'number' ? (_address, hop) => hop < trusted : proxyAddr.compile(trusted || []);
}

/** The headers that are the same in all responses, read from a response that is not sent. */
function readConstantHeaders(
  { corsOrigins }: BeginConfig,
  crossOrigin: ReturnType<typeof cors>,
): readonly (readonly [string, string])[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  response.setHeader('Cache-Control', 'private, no-cache');
  response.setHeader('Vary', 'Accept-Encoding, Authorization, X-Service-Site, Session-Token, X-Service-Session-Token');
  helmet({
    // For JSON. Pages have a policy of their own (src/browser/policy.ts).
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // The server that terminates TLS decides on this header, because it concerns the whole host.
    strictTransportSecurity: false,
  })(request, response, doNothing);
  // Where any origin may call, they are told the same, except in answer to OPTIONS.
  if (corsOrigins === undefined) crossOrigin(request, response, doNothing);
  // The types of Node 20 do not know this method of its responses.
  const names = (response as unknown as { getRawHeaderNames(): string[] }).getRawHeaderNames();
  return names.map((name) => [name, String(response.getHeader(name))] as const);
}

/** Allows the configured origins, or any if there are none, without credentials. The routes answer OPTIONS themselves. */
function allowOrigins({ production, corsOrigins }: BeginConfig): ReturnType<typeof cors> {
  const named = corsOrigins && [...corsOrigins, ...(production ? [] : sandboxOrigins)];
  return cors({ origin: named ?? '*', exposedHeaders, maxAge: 86_400, preflightContinue: true });
}
