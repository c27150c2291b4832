// The ladder of every request, through any door: the steps in their order, each with the statuses of its refusals
// (docs/contract.md §5.8). A door calls them one after the other, and no step calls back into a door.
//
//   receive    here               whether the service is open, the URL's length, the rate of the address   414 429 503
//   identify   here               token and session                                                        401
//   read       here, the door     the body's slot, then body and query                                     413 415 400
//   parse      resolvers/perform  arguments become input, which nothing else makes                         400
//   admit      here               site, rates, the request's slots                                         400 403 429 503
//   perform    resolvers/perform  load, authorize, run, present                                            403 404 409 412 422
//   send       http/messages      status, headers, body
//
// begin.ts precedes all of them: it refuses ambiguous requests (400), and sets the headers of every response.
import {
  RequestAdmission,
  type AdmissionParts,
  type AdmittedRequest,
  type AdmittedResponse,
} from '../admission/admission.ts';
import { identify } from '../auth/identify.ts';
import { fail } from '../base/errors.ts';
import { andThen, type PromiseOrValue } from '../base/promiseOrValue.ts';
import type { Context } from '../resolvers/context.ts';
import type { RequestStats } from '../telemetry/requestStats.ts';
import type { HttpRequest, HttpResponse } from './messages.ts';
import { openContext, type ContextParts } from './openContext.ts';

/** The parts of the process that the ladder uses. */
export interface LadderParts extends ContextParts, AdmissionParts {
  /** Whether the service is open: requests for data are refused until its database is ready. */
  readonly state: { readonly isOpen: boolean };
}

/** The admission of a request, whose site may still be refused. */
export type Admitted = RequestAdmission;

/**
 * Refuses every request while the service starts, then URLs that are too long (RFC 9110 §15.5.15), then addresses that
 * exceed their rate limit. OPTIONS is not counted, because browsers send it on their own before other requests.
 */
export function receive(
  request: HttpRequest,
  response: HttpResponse,
  { limits, rateLimits, state }: Pick<LadderParts, 'limits' | 'rateLimits' | 'state'>,
): void {
  if (!state.isOpen) fail('unavailable', 'The service is starting. Try again.');
  if (request.url.length > limits.url) fail('uri_too_long', `The URL is longer than ${limits.url} bytes.`);
  if (request.method === 'OPTIONS') return;
  request.counted = rateLimits.admitRequest(request.network);
  response.rateLimit = request.counted.count;
}

/**
 * Identifies the caller of a request, then waits for the slot of its body, if it may have one.
 * @param needsSite whether a request that names no site is refused
 * @throws unauthenticated and bad_request, as `identify`; unavailable after too long a wait
 */
export function identifyCaller(
  request: AdmittedRequest & { readonly account: RequestStats },
  response: AdmittedResponse,
  parts: AdmissionParts,
  takesBody: boolean,
  needsSite = true,
): PromiseOrValue<Admitted> {
  return andThen(identify(request, parts), (identity) => {
    request.account.noteCaller(identity);
    const admission = new RequestAdmission(request, response, identity, parts, needsSite);
    return takesBody ? andThen(admission.enterBody(), () => admission) : admission;
  });
}

/**
 * Opens the context of a request in its site, counts its operations and waits for its slot.
 * @throws bad_request, forbidden as `openContext`; rate_limited, unavailable as `Admission.admit`
 */
export function admit(
  request: HttpRequest,
  admission: Admitted,
  { useAcl, operations }: { readonly useAcl: boolean; readonly operations: number },
  parts: ContextParts,
): PromiseOrValue<Context> {
  const context = openContext(request, admission, useAcl, parts);
  return andThen(admission.admit(operations, 0), () => context);
}
