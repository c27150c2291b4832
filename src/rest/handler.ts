// From a route to its Express handlers. Checks go in the order of docs/contract.md §5: who asks (401), what can't be
// understood (400), which site (400, 403), and the rest in the operation.
import type { Request, RequestHandler, Response } from 'express';
import {
  createContext,
  identify,
  readUseAcl,
  type ContextDependencies,
  type Identity,
  type WriteContext,
} from '../context.ts';
import { fail } from '../errors.ts';
import { jsonBody } from '../http/body.ts';
import { readQuery, refuseUnknown } from '../http/query.ts';
import { requestIdOf } from '../http/request.ts';
import { answerOnce, type KeyedRequest } from '../resolvers/idempotency.ts';
import type { Enter, RestRequest, RestResponse, Route } from './route.ts';

/** The handlers of a route, in order. */
export function createHandlers(route: Route, dependencies: ContextDependencies): RequestHandler[] {
  const takesBody = route.method !== 'GET' && route.method !== 'DELETE';
  return [
    async (request, response, next) => {
      response.locals['identity'] = await identify(request, dependencies);
      next();
    },
    ...(takesBody ? [requireJson, jsonBody({ limit: dependencies.limits.body, type: () => true })] : []),
    async (request, response) => {
      const restRequest = readRequest(request, route);
      const enter = createEntrance(restRequest, route, request, response, dependencies);
      send(await route.handle(restRequest, dependencies.limits, enter), response);
    },
  ];
}

/** What stands between a request's arguments and its operation. @throws bad_request for a malformed use_acl or key */
function createEntrance(
  restRequest: RestRequest,
  { isKeyed }: Route,
  request: Request,
  response: Response,
  dependencies: ContextDependencies,
): Enter {
  const details = {
    useAcl: readUseAcl(restRequest.query.use_acl),
    requestId: requestIdOf(response),
    setHeaders: (headers: Record<string, string>): unknown => response.set(headers),
  };
  const key = isKeyed ? readIdempotencyKey(restRequest.header('idempotency-key')) : undefined;
  const identity = response.locals['identity'] as Identity;
  return async (operations, work) => {
    const context = createContext(request, identity, details, dependencies);
    await context.admit(operations);
    if (key === undefined) return work(context);
    return performOnce(context, { key, request: describeRequest(restRequest) }, work);
  };
}

/** Performs an operation, or gives the response that the same request got before. A stored body is never null. */
async function performOnce(
  context: WriteContext,
  keyed: KeyedRequest,
  work: (context: WriteContext) => Promise<RestResponse>,
): Promise<RestResponse> {
  const stored = await answerOnce(context, keyed, async (inner) => {
    const response = await work(inner);
    return { ...response, body: response.body ?? '' };
  });
  return { ...stored, body: stored.body === '' ? null : stored.body };
}

function readRequest(request: Request, { parameters, takesFilters }: Route): RestRequest {
  const known = [...parameters, 'use_acl'] as const;
  const { query, others } = readQuery(request.originalUrl, known);
  if (!takesFilters) refuseUnknown(others, known);
  return {
    method: request.method,
    path: request.path,
    parameters: request.params as Record<string, string>,
    query: Object.fromEntries(query),
    filters: Object.fromEntries(others),
    header: (name) => request.headersDistinct[name]?.join(', '),
    body: request.body as unknown,
  };
}

/** @throws bad_request where it can't be a key */
function readIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  fail('bad_request', 'Idempotency-Key must have 1 to 255 visible ASCII characters.');
}

/** All that makes another request of a request with the same key. */
function describeRequest({ method, path, query, body }: RestRequest): string {
  return JSON.stringify([method, path, Object.entries(query), body]);
}

function send({ status, headers, body }: RestResponse, response: Response): void {
  response.status(status).set(headers);
  if (body === null) response.end();
  else response.type('application/json').send(body);
}

/** JSON in: another media type, or none, is 415. */
const requireJson: RequestHandler = (request, _response, next) => {
  const types = request.headersDistinct['content-type'] ?? [];
  if (types.length !== 1 || !/^application\/json\s*(;|$)/i.test(types[0]?.trim() ?? '')) {
    fail('unsupported_media_type', 'Send the body as application/json.');
  }
  next();
};
