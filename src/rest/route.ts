// A row of the REST table: how a request becomes the arguments of an operation, and how its result becomes a response. The
// checks are in the order of docs/contract.md §5: the credentials (401), arguments that cannot be understood (400), the site
// (400, 403), then those of the operation.
import { type Context } from '../resolvers/context.ts';
import {
  createContext,
  bodyTurns,
  identifyCaller,
  readBaseUrl,
  type ContextDependencies,
} from '../resolvers/createContext.ts';
import { isFromNobody, type RequestHeaders } from '../auth/identify.ts';
import { sendEvents, type StreamPart } from '../http/eventStream.ts';
import type { Handler, HttpRequest, HttpResponse } from '../http/messages.ts';
import { bodyReader, readQuery } from '../http/request.ts';
import { readUseAcl } from '../inputs/flag.ts';
import type { ListParameter } from '../inputs/lists/listParameters.ts';
import { answerOnce, headersOf, readIdempotencyKey } from '../resolvers/idempotency.ts';
import type { InputOf, Operation, ResultOf, Steps } from '../resolvers/operation.ts';
import { perform, type Entrance } from '../resolvers/perform.ts';
import type { CallerKind } from '../rules/callers.ts';
import { changesWhatIsThere, preconditionHeaders, withPreconditions } from './conditions.ts';
import { isWithoutBody, mergePatchType, readMediaType, requireJson } from './mediaTypes.ts';
import type { RouteDescription } from './description.ts';

/** A query parameter that a row may list: of lists of entries, management, changes, the audit log, and a channel's settings. */
export type QueryParameter =
  | ListParameter
  | ('confirm' | 'name' | 'email' | 'after' | 'limit' | 'types')
  | ('actor' | 'type' | 'subject' | 'since' | 'until' | 'entry')
  | ('create' | 'read' | 'update' | 'delete' | 'publishable');

/** A parameter of a path. */
export type PathParameter = 'channel' | 'entry' | 'customer' | 'session' | 'token' | 'webhook' | 'delivery';

/** A request, as rows see it. */
export interface RestRequest {
  readonly method: string;
  /** The path as it was sent, without its query. */
  readonly path: string;
  /** The parameters of the path; empty if the path has no parameter of that name. */
  readonly parameters: Readonly<Record<PathParameter, string>>;
  /** The query parameters that the row lists, and `use_acl`. */
  readonly query: Readonly<Partial<Record<QueryParameter, string>>>;
  /** All other query parameters, if the row takes filters. */
  readonly filters: Readonly<Record<string, string>>;
  readonly headers: RequestHeaders;
  /** The JSON that was sent; undefined if there is no body. */
  readonly body: unknown;
  /** Whether the body is a merge patch (RFC 7396). */
  readonly merges: boolean;
}

/** A response. The body is JSON; null: there is none. `events`, if there are any, are streamed in its place. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly events?: AsyncIterable<StreamPart>;
}

/** What a response may depend on besides the result. */
export interface Exchange<Input> {
  readonly request: RestRequest;
  /** The arguments, as the operation parsed them. */
  readonly input: Input;
  readonly context: Context;
}

interface Row<S extends Steps> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The query parameters that it takes besides `use_acl`. */
  readonly parameters: readonly QueryParameter[];
  /** Whether every other query parameter is a filter, such as `year.gte`. */
  readonly takesFilters?: boolean;
  /** Whether the body may be left out. */
  readonly bodyIsOptional?: boolean;
  /** Whether its operation itself compares the entity tags of `If-Match` and `If-None-Match`. */
  readonly hasTags?: boolean;
  /** The request headers that its answers depend on, in addition to those that all answers depend on. */
  readonly vary?: readonly string[];
  /** What the OpenAPI document says about it, apart from the members above. */
  readonly description: RouteDescription;
  /** Answers requests without any credentials; absent: they get a 401, as on all other routes. */
  readonly respondToNobody?: (request: RestRequest, baseUrl: string) => Promise<RestResponse>;
  readonly operation: Operation<S>;
  readonly arguments: (request: RestRequest) => S['args'];
  readonly respond: (result: ResultOf<S>, exchange: Exchange<InputOf<S>>) => RestResponse | Promise<RestResponse>;
}

/** A row whose operation, arguments and response fit each other. */
export interface Route extends Pick<Row<never>, 'method' | 'path' | 'parameters' | 'description'> {
  readonly takesFilters: boolean;
  readonly bodyIsOptional: boolean;
  /** Whether it answers requests without any credentials. */
  readonly respondsToNobody: boolean;
  /** The kinds of callers that may ask for it at all. */
  readonly callers: readonly CallerKind[];
  readonly createHandler: (dependencies: ContextDependencies) => Handler;
}

/** Creates a route from a row. The types check that its operation, arguments and response fit each other. */
export function route<S extends Steps>(row: Row<S>): Route {
  const { method, path, parameters, description, operation, takesFilters = false, bodyIsOptional = false } = row;
  const writes = method !== 'GET';
  const mayHaveBody = writes && method !== 'DELETE';
  const mayBeConditional = row.hasTags !== true && changesWhatIsThere(method);
  const options = { known: [...parameters, 'use_acl' as const], takesFilters };
  const createHandler = (dependencies: ContextDependencies): Handler => {
    const { limits } = dependencies;
    const readBody = bodyReader(limits, () => true);
    return async (request, response) => {
      if (row.vary !== undefined) response.varyBy(row.vary);
      if (row.respondToNobody !== undefined && isFromNobody(request)) {
        const answer = await row.respondToNobody(readRequest(request, options), readBaseUrl(request, dependencies));
        await sendResponse(response, answer, dependencies);
        return;
      }
      const takesBody = mayHaveBody && !(bodyIsOptional && isWithoutBody(request));
      const identity = await identifyCaller(request, response, dependencies, takesBody);
      if (takesBody) {
        requireJson(request);
        await readBody(request, response, bodyTurns(request, response, identity, dependencies));
      }
      const restRequest = readRequest(request, options);
      const { use_acl: asked } = restRequest.query;
      const useAcl = asked !== undefined && readUseAcl(asked);
      const key = writes ? readIdempotencyKey(restRequest.headers) : undefined;
      const entrance: Entrance<S, Context, RestResponse> = {
        limits,
        stats: request.account,
        enter: async (input, operations, work) => {
          const details = { useAcl, response };
          const context = createContext(request, identity, details, dependencies);
          await context.admission.admit(operations, 0);
          if (key === undefined) return row.respond(await work(context), { request: restRequest, input, context });
          return answerKeyed(context, key, restRequest, async (inner) => {
            const result = await work(inner);
            const response = await row.respond(result, { request: restRequest, input, context: inner });
            return { response, isKept: operation.stores?.(result) ?? true };
          });
        },
      };
      const performed = mayBeConditional ? withPreconditions(operation, restRequest) : operation;
      await sendResponse(response, await perform(performed, row.arguments(restRequest), entrance), dependencies);
    };
  };
  const { callers } = operation;
  const respondsToNobody = row.respondToNobody !== undefined;
  const declared = { method, path, parameters, description, takesFilters, bodyIsOptional };
  return { ...declared, respondsToNobody, callers, createHandler };
}

async function sendResponse(
  response: HttpResponse,
  { status, headers, body, events }: RestResponse,
  { streams }: ContextDependencies,
): Promise<void> {
  response.setAll(headers);
  if (events) await sendEvents(response, events, streams.maxStalled);
  else if (body === null) response.sendNothing(status);
  else response.sendJson(status, body);
}

/** Performs an operation, or returns the response that the same request with the same key got before. */
async function answerKeyed(
  context: Context,
  key: string,
  request: RestRequest,
  answer: (context: Context) => Promise<{ response: RestResponse; isKept: boolean }>,
): Promise<RestResponse> {
  const stored = await answerOnce(context, { key, request: describeRequest(request) }, async (inner) => {
    const { response, isKept } = await answer(inner);
    // A body is stored as text: an empty one stands for null.
    return { response: { ...response, body: response.body ?? '' }, isKept };
  });
  return { status: stored.status, headers: headersOf(stored), body: stored.body === '' ? null : stored.body };
}

/** The query parameters that a row takes, and whether all others are filters. */
interface QueryOptions {
  readonly known: readonly QueryParameter[];
  readonly takesFilters: boolean;
}

const noParameters = Object.freeze({});
const noQuery = { query: new Map<QueryParameter, string>(), others: new Map<string, string>() };

function readRequest(request: HttpRequest, { known, takesFilters }: QueryOptions): RestRequest {
  const { query, others } = request.url.includes('?') ? readQuery(request.url, known, takesFilters) : noQuery;
  const { channel = '', entry = '', customer = '', session = '', token = '' } = request.params;
  const { webhook = '', delivery = '' } = request.params;
  return {
    method: request.method,
    path: request.path,
    parameters: { channel, entry, customer, session, token, webhook, delivery },
    query: query.size === 0 ? noParameters : Object.fromEntries(query),
    filters: others.size === 0 ? noParameters : Object.fromEntries(others),
    headers: request.headersDistinct,
    body: request.body,
    merges: request.method === 'PATCH' && readMediaType(request) === mergePatchType,
  };
}

/** Everything that must be the same in two requests with the same key. */
function describeRequest({ method, path, query, headers, body, merges }: RestRequest): string {
  const { ifMatch, ifNoneMatch } = preconditionHeaders(headers);
  const described = [method, path, Object.entries(query), body, ifMatch];
  // What older releases did not regard is there only where it was sent, so that their keys stay good.
  const others = [...(merges ? [mergePatchType] : []), ...(ifNoneMatch === undefined ? [] : [{ ifNoneMatch }])];
  return JSON.stringify([...described, ...others]);
}
