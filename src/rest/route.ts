// A row of the REST table: it makes the arguments of an operation from a request, and a response from its result. The
// checks are in the order of docs/contract.md §5: the credentials (401), arguments that cannot be understood (400), the
// site (400, 403), then those of the operation.
import type { Context } from '../resolvers/context.ts';
import { isAnonymous, type RequestHeaders } from '../auth/identify.ts';
import type { Streams } from '../admission/streams.ts';
import { isPromise, type PromiseOrValue } from '../base/promiseOrValue.ts';
import { sendEvents, type StreamPart } from '../http/eventStream.ts';
import { admit, identifyCaller, type LadderParts } from '../http/ladder.ts';
import type { Handler, HttpRequest, HttpResponse } from '../http/messages.ts';
import { readBaseUrl } from '../http/openContext.ts';
import { bodyReader, readQuery } from '../http/request.ts';
import { readUseAcl } from '../inputs/flag.ts';
import type { ListParameter } from '../inputs/lists/listParameters.ts';
import { answerOnce, headersOf, readIdempotencyKey } from '../resolvers/idempotency.ts';
import type { InputOf, Operation, ResultOf, ScopedEntries, Steps } from '../resolvers/operation.ts';
import { observe, parse, performParsed, scopeOf, type Parsed } from '../resolvers/perform.ts';
import type { CallerKind, SiteRight } from '../rules/callers.ts';
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
export type PathParameter =
  'channel' | 'entry' | 'customer' | 'session' | 'token' | 'webhook' | 'delivery' | 'user' | 'role' | 'invitation';

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
  /** The JSON of the body; undefined without a body. */
  readonly body: unknown;
  /** Whether the body is a merge patch (RFC 7396). */
  readonly merges: boolean;
  /** Whether the service can store all of its text without a check. */
  readonly isStorable: boolean;
}

/** A response. The body is JSON, or null for none. `events`, if there are any, are streamed in its place. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly events?: AsyncIterable<StreamPart>;
}

/** The data that a response may depend on besides the result. */
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
  /** Whether a user token need not name a site. */
  readonly siteIsOptional?: boolean;
  /** The request headers that its answers depend on, in addition to those that all answers depend on. */
  readonly vary?: readonly string[];
  /** Its description in the OpenAPI document, apart from the members above. */
  readonly description: RouteDescription;
  /** Answers requests without any credentials; absent if they get a 401, as on all other routes. */
  readonly respondToNobody?: (request: RestRequest, baseUrl: string) => Promise<RestResponse>;
  readonly operation: Operation<S>;
  readonly arguments: (request: RestRequest) => S['args'];
  readonly respond: (result: ResultOf<S>, exchange: Exchange<InputOf<S>>) => PromiseOrValue<RestResponse>;
}

/** The parts of the process that REST uses. */
export interface RestParts extends LadderParts {
  readonly streams: Streams;
}

/** A row whose operation, arguments and response fit each other. */
export interface Route extends Pick<Row<never>, 'method' | 'path' | 'parameters' | 'description'> {
  readonly takesFilters: boolean;
  readonly bodyIsOptional: boolean;
  readonly siteIsOptional: boolean;
  /** Whether it answers requests without any credentials. */
  readonly respondsToNobody: boolean;
  /** The kinds of callers that may request it at all. */
  readonly callers: readonly CallerKind[];
  /** The rights on the site without which no user token may request it. */
  readonly needs: readonly SiteRight[];
  /** The needs of a token's scopes, whatever its arguments. */
  readonly scope: RouteScope;
  readonly createHandler: (parts: RestParts) => Handler;
}

/** Creates a route from a row. The types check that its operation, arguments and response fit each other. */
export function route<S extends Steps>(row: Row<S>): Route {
  const { method, path, parameters, description, operation } = row;
  const { takesFilters = false, bodyIsOptional = false, siteIsOptional = false } = row;
  const { callers } = operation;
  const respondsToNobody = row.respondToNobody !== undefined;
  const declared = { method, path, parameters, description, takesFilters, bodyIsOptional, siteIsOptional };
  return {
    ...declared,
    respondsToNobody,
    callers,
    needs: fixedNeeds(operation),
    scope: fixedScope(operation),
    createHandler: (parts) => createHandler(row, parts),
  };
}

/** Creates what answers the requests of a row. */
function createHandler<S extends Steps>(row: Row<S>, parts: RestParts): Handler {
  const { method, parameters, operation, takesFilters = false, bodyIsOptional = false, siteIsOptional = false } = row;
  const writes = method !== 'GET';
  const mayHaveBody = writes && method !== 'DELETE';
  const mayBeConditional = row.hasTags !== true && changesWhatIsThere(method);
  const options = { known: [...parameters, 'use_acl' as const], takesFilters };
  const readBody = bodyReader(parts.limits, () => true);
  return async (request, response) => {
    if (row.vary !== undefined) response.varyBy(row.vary);
    if (row.respondToNobody !== undefined && isAnonymous(request)) {
      const answer = await row.respondToNobody(readRequest(request, options), readBaseUrl(request, parts));
      await sendResponse(response, answer, parts);
      return;
    }
    const takesBody = mayHaveBody && !(bodyIsOptional && isWithoutBody(request));
    const identified = identifyCaller(request, response, parts, takesBody, !siteIsOptional);
    const admission = isPromise(identified) ? await identified : identified;
    if (takesBody) {
      requireJson(request);
      await readBody(request, response, admission);
    }
    const sent = readRequest(request, options);
    const { use_acl: asked } = sent.query;
    const useAcl = asked !== undefined && readUseAcl(asked);
    const key = writes ? readIdempotencyKey(sent.headers) : undefined;
    const performed = mayBeConditional ? withPreconditions(operation, sent) : operation;
    request.account.noteOperation(operation.name);
    const answer = await observe(operation, request.account, async () => {
      const parsed = parse(performed, row.arguments(sent), parts.limits, sent.isStorable);
      const admitted = admit(request, admission, { useAcl, operations: parsed.operations }, parts);
      const context = isPromise(admitted) ? await admitted : admitted;
      if (key !== undefined) return answerKeyed(row, performed, parsed, { key, sent, context });
      const result = await performParsed(performed, parsed, context);
      return row.respond(result, { request: sent, input: parsed.input, context });
    });
    const sending = sendResponse(response, answer, parts);
    if (isPromise(sending)) await sending;
  };
}

/** The rights on the site without which no user token may run an operation, whatever its arguments. */
function fixedNeeds<S extends Steps>(operation: Operation<S>): readonly SiteRight[] {
  const needs = 'load' in operation ? undefined : operation.needs;
  return needs === undefined || typeof needs === 'function' ? [] : needs;
}

/** The needs of a route of a token's scopes: as those of an operation (src/resolvers/operation.ts), apart from its arguments. */
export type RouteScope =
  'nothing' | 'never' | readonly SiteRight[] | Pick<ScopedEntries<never>, 'onEntries' | 'isOfOwn'>;

function fixedScope<S extends Steps>(operation: Operation<S>): RouteScope {
  const scope = scopeOf(operation);
  return scope === undefined || typeof scope === 'function' ? 'never' : scope;
}

function sendResponse(
  response: HttpResponse,
  { status, headers, body, events }: RestResponse,
  { streams }: RestParts,
): PromiseOrValue<void> {
  response.setAll(headers);
  if (events) return sendEvents(response, events, streams.maxStalled);
  if (body === null) response.sendNothing(status);
  else response.sendJson(status, body);
}

/** Performs an operation, or returns the stored response to an earlier request with the same key. */
async function answerKeyed<S extends Steps>(
  row: Row<S>,
  operation: Operation<S>,
  parsed: Parsed<S>,
  { key, sent, context }: { readonly key: string; readonly sent: RestRequest; readonly context: Context },
): Promise<RestResponse> {
  const stored = await answerOnce(context, { key, request: describeRequest(sent) }, async (inner) => {
    const result = await performParsed(operation, parsed, inner);
    const response = await row.respond(result, { request: sent, input: parsed.input, context: inner });
    // A body is stored as text: an empty one stands for null.
    return { response: { ...response, body: response.body ?? '' }, isKept: operation.stores?.(result) ?? true };
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

/** A path of visible ASCII without a percent-encoded byte or a query: it is its own pathname, and can be stored. */
const plainPath = /^\/[!-$&->@-~]*$/;

function readRequest(request: HttpRequest, { known, takesFilters }: QueryOptions): RestRequest {
  const { url } = request;
  const isPlain = plainPath.test(url);
  const { query, others } = url.includes('?') ? readQuery(url, known, takesFilters) : noQuery;
  const { channel = '', entry = '', customer = '', session = '', token = '' } = request.params;
  const { webhook = '', delivery = '', user = '', role = '', invitation = '' } = request.params;
  return {
    method: request.method,
    path: isPlain ? url : request.path,
    parameters: { channel, entry, customer, session, token, webhook, delivery, user, role, invitation },
    query: query.size === 0 ? noParameters : Object.fromEntries(query),
    filters: others.size === 0 ? noParameters : Object.fromEntries(others),
    headers: request.headersDistinct,
    body: request.body,
    merges: request.method === 'PATCH' && readMediaType(request) === mergePatchType,
    isStorable: isPlain && request.body === undefined,
  };
}

/** All data that must be the same in two requests with the same key. */
function describeRequest({ method, path, query, headers, body, merges }: RestRequest): string {
  const { ifMatch, ifNoneMatch } = preconditionHeaders(headers);
  const described = [method, path, Object.entries(query), body, ifMatch];
  // Data that older releases did not compare are added only if they were sent, so that the keys of these releases stay
  // valid.
  const others = [...(merges ? [mergePatchType] : []), ...(ifNoneMatch === undefined ? [] : [{ ifNoneMatch }])];
  return JSON.stringify([...described, ...others]);
}
