// What a request must pass at either door before anything is known of it: whether the service has started, how long its
// URL is, how often its address asks.
import type { RequestHandler } from 'express';
import type { RateLimits } from '../auth/rateLimits.ts';
import type { Limits } from '../config.ts';
import { fail } from '../errors.ts';

export interface GuardDependencies {
  readonly limits: Limits;
  readonly rateLimits: RateLimits;
  /** Whether the database is still being prepared. */
  readonly isStarting: () => boolean;
}

/**
 * Refuses all while the service starts, then URLs that are too long (RFC 9110 §15.5.15), then addresses that ask too
 * often. OPTIONS passes uncounted: a browser sends it on its own.
 */
export function guardRequests({ limits, rateLimits, isStarting }: GuardDependencies): RequestHandler {
  return async (request, response, next) => {
    if (isStarting()) fail('unavailable', 'The service is starting. Try again.');
    if (request.originalUrl.length > limits.url) fail('uri_too_long', `A URL has at most ${limits.url} bytes here.`);
    if (request.method !== 'OPTIONS') response.set(await rateLimits.admitRequest(request.ip ?? ''));
    next();
  };
}
