// Checks that every request has to pass before its caller is identified: whether the service has started, the length of the
// URL, and the rate limit of the address.
import type { RateLimits } from '../admission/rateLimits.ts';
import type { Limits } from '../config/config.ts';
import { fail } from '../base/errors.ts';
import type { HttpRequest, HttpResponse } from './messages.ts';

export interface GuardDependencies {
  readonly limits: Limits;
  readonly rateLimits: RateLimits;
  /** Whether the service is open: until its database is ready, requests for data are refused. */
  readonly state: { readonly isOpen: boolean };
}

/**
 * Refuses every request while the service starts, then URLs that are too long (RFC 9110 §15.5.15), then addresses that
 * exceed their rate limit. OPTIONS is not counted, because browsers send it on their own before other requests.
 */
export function guardRequest(
  request: HttpRequest,
  response: HttpResponse,
  { limits, rateLimits, state }: GuardDependencies,
): void {
  if (!state.isOpen) fail('unavailable', 'The service is starting. Try again.');
  if (request.url.length > limits.url) fail('uri_too_long', `The URL is longer than ${limits.url} bytes.`);
  if (request.method === 'OPTIONS') return;
  request.counted = rateLimits.admitRequest(request.network);
  response.rateLimit = request.counted.count;
}

/**
 * Refuses the handshake of a WebSocket (RFC 6455 §4.1), at any path: otherwise it would be answered as the request that it
 * seems to be, with words on a token or a document that the client has not sent yet.
 */
export function refuseWebSocket({ headers }: HttpRequest): void {
  const protocols = headers.upgrade?.split(',').map((protocol) => protocol.trim().toLowerCase()) ?? [];
  if (!protocols.includes('websocket')) return;
  fail(
    'bad_request',
    'There are no WebSockets here. Subscriptions of GraphQL come as Server-Sent Events: POST /graphql/stream, as graphql-sse has it.',
  );
}

/**
 * Refuses a method that a path does not support (RFC 9110 §15.5.6).
 * @param allow the methods that the path supports, as the header `Allow` lists them
 * @throws method_not_allowed always
 */
export function refuseMethod(allow: string): never {
  fail('method_not_allowed', { detail: `This path supports only these methods: ${allow}.`, headers: { Allow: allow } });
}
