// A row of the REST table: how a request becomes the arguments of an operation, and its result a response. Checks go in the
// order of docs/contract.md §5: who asks (401), what can't be understood (400), which site (400, 403), and the rest in the
// operation.
import type { Request, RequestHandler, Response } from 'express';
import type { Limits } from '../config.ts';
import {
  type WriteContext,
  createContext,
  identify,
  readUseAcl,
  type ContextDependencies,
  type Identity,
} from '../context.ts';
import type { ListParameter } from '../inputs/listParameters.ts';
import { perform, type Entrance, type Operation } from '../resolvers/perform.ts';
import { fail } from '../errors.ts';
import { jsonBody, readQuery, refuseUnknown, requestIdOf } from '../http/request.ts';
import { answerOnce, type KeyedRequest } from '../resolvers/idempotency.ts';

/** A request, as rows see it. */
export interface RestRequest {
  readonly method: string;
  /** The path as it was sent, without its query. */
  readonly path: string;
  /** The parameters of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The query parameters that the row knows, and `use_acl`. */
  readonly query: Readonly<Partial<Record<ListParameter, string>>>;
  /** All other parameters, where the row takes comparisons. */
  readonly filters: Readonly<Record<string, string>>;
  readonly header: (name: string) => string | undefined;
  readonly body: unknown;
}

/** A response; without a body where that is null, else in JSON. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** What a response is made from, beside the result. */
export interface Exchange<Input> {
  readonly request: RestRequest;
  /** The arguments, as the operation parsed them. */
  readonly input: Input;
  readonly context: WriteContext;
}

interface Row<Args, Input, Loaded, Done, Result> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The query parameters that it takes, beside `use_acl`. */
  readonly parameters: readonly ListParameter[];
  /** Whether every other parameter is a comparison. */
  readonly takesFilters?: boolean;
  /** Whether it honours `Idempotency-Key`. */
  readonly isKeyed?: boolean;
  readonly operation: Operation<Args, Input, Loaded, Done, Result>;
  readonly arguments: (request: RestRequest) => Args;
  readonly respond: (result: Result, exchange: Exchange<Input>) => RestResponse | Promise<RestResponse>;
}

/** What stands between the arguments and the operation: the site, the rate limits, an Idempotency-Key. */
export type Enter = (
  operations: number,
  work: (context: WriteContext) => Promise<RestResponse>,
) => Promise<RestResponse>;

/** A row whose operation, arguments and response fit each other. */
export interface Route extends Pick<Row<never, never, never, never, never>, 'method' | 'path' | 'parameters'> {
  readonly takesFilters: boolean;
  readonly isKeyed: boolean;
  /** Performs the operation. */
  readonly handle: (request: RestRequest, limits: Limits, enter: Enter) => Promise<RestResponse>;
}

/** Checks, by type, that the parts of a row fit. */
export function route<Args extends object, Input, Loaded, Done, Result>({
  method,
  path,
  parameters,
  takesFilters = false,
  isKeyed = false,
  operation,
  arguments: toArguments,
  respond,
}: Row<Args, Input, Loaded, Done, Result>): Route {
  const handle: Route['handle'] = (request, limits, enter) => {
    const entrance: Entrance<WriteContext, Input, Result, RestResponse> = {
      limits,
      enter: (input, operations, work) =>
        enter(operations, async (context) => respond(await work(context), { request, input, context })),
    };
    return perform(operation, toArguments(request), entrance);
  };
  return { method, path, parameters, takesFilters, isKeyed, handle };
}

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
  const { query, others } = readQuery(request.originalUrl, [...parameters, 'use_acl']);
  if (!takesFilters) refuseUnknown(others);
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
