// The paths of GraphQL, `/graphql` and `/graphql/site`: a request gets the same context as one of REST, then Apollo
// Server executes it.
import { HeaderMap, type ApolloServer, type HTTPGraphQLResponse } from '@apollo/server';
import accepts from 'accepts';
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { Streams } from '../admission/streams.ts';
import type { Limits } from '../config/config.ts';
import { fail } from '../base/errors.ts';
import { logFault, toServiceError } from '../http/fault.ts';
import { identifyCaller, receive, type Admitted, type LadderParts } from '../http/ladder.ts';
import { bodyReader, readQuery, refuseMethod } from '../http/request.ts';
import type { HttpRequest, HttpResponse, HttpRouter } from '../http/messages.ts';
import { openContext } from '../http/openContext.ts';
import { readUseAcl } from '../inputs/flag.ts';
import { assertStorable, isObject } from '../inputs/json.ts';
import { countJson } from '../inputs/jsonText.ts';
import { redactTokensIn } from '../base/redaction.ts';
import { readIdempotencyKey } from '../resolvers/idempotency.ts';
import { isPromise, type PromiseOrValue } from '../base/promiseOrValue.ts';
import { graphqlError, tooComplex, withRequestId } from './errors.ts';
import type { ContextValue, GraphqlContext } from './idempotency.ts';
import { csrfHeaders } from './server.ts';

export const graphqlPath = '/graphql';
const graphqlMethods = 'GET, HEAD, POST, OPTIONS';
/** The query parameters: use_acl, and those of GraphQL over HTTP for a query by GET. */
const parameters = ['use_acl', 'query', 'operationName', 'variables', 'extensions'];

export interface GraphqlDoor extends LadderParts {
  readonly streams: Streams;
  readonly log: Logger;
}

/** The schema of a path. */
export interface ServedSchema {
  readonly path: string;
  /** A started Apollo Server: that of the static schema, which also refuses requests that reach no schema. */
  readonly server: ApolloServer<ContextValue>;
  /** Finds the server of the caller's schema; absent if all callers have the static one. */
  readonly serverFor?: (context: GraphqlContext) => Promise<ApolloServer<ContextValue>>;
}

/** Adds a path of GraphQL. */
export function addGraphql(router: HttpRouter, schema: ServedSchema, dependencies: GraphqlDoor): void {
  const { limits, log } = dependencies;
  const { path } = schema;
  const readBody = bodyReader(limits);
  router.options(path, (_request, response) => {
    response.setHeader('Allow', graphqlMethods);
    response.sendNothing(204);
  });
  router.all(path, async (request, response) => {
    try {
      // A GET is answered with JSON or, if pages are on, with a page (src/browser/router.ts).
      response.varyBy(['Accept']);
      if (!['GET', 'HEAD', 'POST'].includes(request.method)) refuseMethod(graphqlMethods);
      receive(request, response, dependencies);
      const identifying = identifyCaller(request, response, dependencies, request.method === 'POST');
      const admission = isPromise(identifying) ? await identifying : identifying;
      await readBody(request, response, admission);
      checkBody(request.body, limits);
      const makeContext = (): Promise<NewValue> => requestContext(request, response, admission, dependencies);
      const httpGraphQLRequest = readGraphqlRequest(request);
      const choosing = chooseServer(schema, makeContext);
      const { server, context } = isPromise(choosing) ? await choosing : choosing;
      const sending = sendResult(response, await server.executeHTTPGraphQLRequest({ httpGraphQLRequest, context }));
      if (sending !== undefined) await sending;
    } catch (error) {
      sendRefusal(response, error, log);
    }
  });
}

/** A context that nothing has read yet. */
interface NewValue extends ContextValue {
  readonly context: { -readonly [Member in keyof GraphqlContext]: GraphqlContext[Member] };
}

/**
 * The server of a request, with the function that makes the context. Refusals of the request are thrown by the latter.
 */
function chooseServer(
  { server, serverFor }: ServedSchema,
  makeContext: () => Promise<NewValue>,
): PromiseOrValue<ChosenServer> {
  return serverFor === undefined ? { server, context: makeContext } : chooseFor(serverFor, server, makeContext);
}

interface ChosenServer {
  readonly server: ApolloServer<ContextValue>;
  readonly context: () => Promise<ContextValue>;
}

/** @param server refuses requests for which there is no other one */
async function chooseFor(
  serverFor: NonNullable<ServedSchema['serverFor']>,
  server: ApolloServer<ContextValue>,
  makeContext: () => Promise<NewValue>,
): Promise<ChosenServer> {
  try {
    const made = await makeContext();
    made.context.door = 'site';
    return { server: await serverFor(made.context), context: () => Promise.resolve(made) };
  } catch (error) {
    const refusal = error instanceof GraphQLError ? error : graphqlError(toServiceError(error));
    return { server, context: () => Promise.reject(refusal) };
  }
}

/** The headers that Apollo Server reads. Copying all of them takes longer, and most requests have many others. */
const headersOfApollo = ['accept', 'content-type', ...csrfHeaders];
const answerTypes = ['application/json', 'application/graphql-response+json'];

/**
 * A request as Apollo Server takes it. The answer is JSON, whatever `Accept` asks for: Apollo Server would refuse
 * another type only after it has executed the operation. HEAD is GET, whose body is then not sent. An empty name of an
 * operation, which some clients send, is none.
 */
export function readGraphqlRequest(request: HttpRequest): {
  method: string;
  headers: HeaderMap;
  search: string;
  body: unknown;
} {
  const { method, url, body } = request;
  const headers = new HeaderMap();
  for (const name of headersOfApollo) {
    const value = request.headers[name];
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  const isJsonRefused = headers.has('accept') && accepts(request).type(answerTypes) === false;
  if (isJsonRefused) headers.set('accept', 'application/json');
  const start = url.indexOf('?');
  const search = start === -1 ? '' : url.slice(start);
  return {
    method: method === 'HEAD' ? 'GET' : method,
    headers,
    search: search.replace(/([?&])operationName=(?=&|$)/, '$1'),
    body: isObject(body) && body['operationName'] === '' ? withoutName(body) : body,
  };
}

function withoutName({ operationName: _empty, ...others }: Record<string, unknown>): object {
  return others;
}

/** Sends the result of Apollo Server. @returns a promise only for a result that comes in parts */
export function sendResult(response: HttpResponse, result: HTTPGraphQLResponse): Promise<void> | undefined {
  const { status = 200, headers, body } = result;
  const type = headers.get('content-type') ?? 'application/json';
  for (const [name, value] of headers) if (name !== 'content-type') response.setHeader(name, value);
  if (body.kind === 'complete') {
    response.send(
      status,
      type.includes('charset=') ? type : `${type}; charset=utf-8`,
      withRequestId(body.string, response.req.id),
    );
    return undefined;
  }
  response.statusCode = status;
  response.setHeader('Content-Type', type);
  return sendParts(response, body.asyncIterator);
}

async function sendParts(response: HttpResponse, parts: AsyncIterable<string>): Promise<void> {
  for await (const part of parts) {
    response.bodyBytes += Buffer.byteLength(part);
    response.write(part);
  }
  response.end();
}

/** Checks the size of a body and of the document in it. A document in a URL needs no check: the limit of a URL is lower. */
export function checkBody(body: unknown, { json, graphql }: Limits): void {
  assertStorable({ body }, json);
  // Checked here, because Apollo Server's own message for another type names libraries.
  const query = isObject(body) ? (body['query'] ?? '') : '';
  if (typeof query !== 'string') fail('bad_request', 'query must be a string.');
  if (query.length > graphql.length) throw tooComplex('length', graphql.length, query.length);
}

/** Creates the context of a request with a complete body. @throws GraphQLError with the HTTP status of the refusal */
export async function requestContext(
  request: HttpRequest,
  response: HttpResponse,
  admission: Admitted,
  dependencies: GraphqlDoor,
): Promise<NewValue> {
  try {
    const { query } = readQuery(request.url, parameters, false);
    // Apollo Server parses them.
    for (const name of ['variables', 'extensions']) {
      countJson(Buffer.from(query.get(name) ?? ''), dependencies.limits.json, name);
    }
    const useAcl = readUseAcl(query.get('use_acl'));
    const context: NewValue['context'] = openContext(request, admission, useAcl, dependencies);
    const key = readIdempotencyKey(request.headersDistinct);
    const onReplay = (): void => void response.setHeader('Idempotent-Replayed', 'true');
    const renewing = context.admission.rights.renew();
    const { caller, now } = isPromise(renewing) ? await renewing : renewing;
    [context.caller, context.now] = [caller, now];
    if (key !== undefined) context.once = { key, onReplay };
    return { context, shares: admission.shares };
  } catch (error) {
    const refusal = toServiceError(error);
    request.account.noteError(refusal);
    throw graphqlError(refusal);
  }
}

/** Sends a refusal from before Apollo Server received the request, in the form of a GraphQL error. */
export function sendRefusal(response: HttpResponse, error: unknown, log: Logger): void {
  if (response.isAbandoned) return;
  if (response.headersSent) throw error;
  const requestId = response.req.id;
  const refusal = toServiceError(error);
  logFault(log, refusal, { requestId });
  response.req.account.noteError(refusal);
  const { message, extensions } = graphqlError(refusal);
  const { http: _, ...shown }: Record<string, unknown> = { ...extensions, requestId };
  response.setAll(refusal.headers);
  const body = redactTokensIn({ errors: [{ message, extensions: shown }] });
  response.sendJson(refusal.status, JSON.stringify(body));
}
