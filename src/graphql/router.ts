// The Express handlers of GraphQL: they create the same context as REST's, then call Apollo Server.
import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import { Router, type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { Logger } from 'pino';
import { admitBody, createContext, readUseAcl, type Context, type ContextDependencies } from '../context.ts';
import { identify } from '../auth/identify.ts';
import type { Limits } from '../config.ts';
import { fail } from '../errors.ts';
import { logFault, toServiceError } from '../http/fault.ts';
import { guardRequests, refuseMethod, type GuardDependencies } from '../http/guards.ts';
import { jsonBody, readQuery } from '../http/request.ts';
import { assertStorable, isObject } from '../inputs/json.ts';
import { redactTokensIn } from '../redaction.ts';
import { currentRequestId, graphqlError, tooComplex } from './errors.ts';

const path = '/graphql';
const methods = 'GET, POST, OPTIONS';
/** The query parameters: use_acl, and those of GraphQL over HTTP for a query by GET. */
const parameters = ['use_acl', 'query', 'operationName', 'variables', 'extensions'];

export interface GraphqlDoor extends ContextDependencies, GuardDependencies {
  readonly production: boolean;
  readonly log: Logger;
}

/** Creates the router of the path /graphql. @param server an Apollo Server that has been started */
export function graphqlRouter(server: ApolloServer<Context>, dependencies: GraphqlDoor): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.options(path, (_request, response) => {
    response.status(204).set('Allow', methods).end();
  });
  const context = ({ req, res }: { req: Request; res: Response }): Promise<Context> =>
    requestContext(req, res, dependencies);
  router.all(path, refuseOtherMethods, guardRequests(dependencies), identifyCaller(dependencies));
  router.all(path, jsonBody({ limit: dependencies.limits.body }), checkBody(dependencies.limits));
  router.all(path, provideRequestId, dropConditions, acceptJson, expressMiddleware(server, { context }));
  router.use(path, refusalHandler(dependencies.log));
  return router;
}

/** Makes the request's id available to errors of Apollo Server. */
const provideRequestId: RequestHandler = (_request, response, next) => {
  currentRequestId.run(response.locals.requestId, next);
};

/** Refuses all methods except GET and POST, which GraphQL over HTTP uses. */
const refuseOtherMethods: RequestHandler = ({ method }, _response, next) => {
  if (method !== 'GET' && method !== 'POST') refuseMethod(methods);
  next();
};

/**
 * Drops conditional headers: responses have no validator to compare them with (RFC 9110 §13.1), and Express would answer
 * `If-None-Match: *` with 304 and no body.
 */
const dropConditions: RequestHandler = ({ headers }, _response, next) => {
  delete headers['if-none-match'];
  delete headers['if-modified-since'];
  next();
};

/**
 * Responds in JSON, whatever `Accept` asks for: Apollo Server would refuse another type only after it has executed the
 * operation.
 */
const acceptJson: RequestHandler = (request, response, next) => {
  const wantsPage = response.locals.identity === undefined;
  if (!wantsPage && !request.accepts(['application/json', 'application/graphql-response+json'])) {
    request.headers.accept = 'application/json';
  }
  next();
};

/** Checks the size of a body and of the document in it. A document in a URL needs no check: the limit of a URL is lower. */
function checkBody({ json, graphql }: Limits): RequestHandler {
  return (request, _response, next) => {
    const body: unknown = request.body;
    assertStorable({ body }, json);
    // Checked here, because Apollo Server's own message for another type names libraries.
    const query = isObject(body) ? (body['query'] ?? '') : '';
    if (typeof query !== 'string') fail('bad_request', 'query must be a string.');
    if (query.length > graphql.length) throw tooComplex('length', graphql.length, query.length);
    next();
  };
}

/** Identifies the caller before the body is read. In development a browser gets the Sandbox page without a token. */
function identifyCaller(dependencies: GraphqlDoor): RequestHandler {
  return async (request, response, next) => {
    const wantsPage = request.method === 'GET' && request.accepts(['application/json', 'text/html']) === 'text/html';
    if (dependencies.production || !wantsPage) {
      const identity = await identify(request, dependencies);
      response.locals.identity = identity;
      if (request.method === 'POST') await admitBody(request, identity, response, dependencies);
    }
    next();
  };
}

/** Creates the context of a request whose body has come. @throws GraphQLError with the HTTP status of the refusal */
async function requestContext(request: Request, response: Response, dependencies: GraphqlDoor): Promise<Context> {
  const requestId = response.locals.requestId;
  try {
    const identity = response.locals.identity;
    if (identity === undefined) fail('unauthenticated');
    const { query } = readQuery(request.originalUrl, parameters, false);
    const asked = query.get('use_acl');
    const useAcl = asked !== undefined && readUseAcl(asked);
    const context = createContext(request, identity, { useAcl, requestId, response }, dependencies);
    return { ...context, ...(await context.rights.renew()) };
  } catch (error) {
    throw graphqlError(toServiceError(error));
  }
}

/** Sends a refusal from before Apollo Server received the request, in the form of a GraphQL error. */
function refusalHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    const refusal = toServiceError(error);
    logFault(log, refusal, { requestId: response.locals.requestId });
    if (response.headersSent) {
      next(error);
      return;
    }
    const { message, extensions } = currentRequestId.run(response.locals.requestId, () => graphqlError(refusal));
    const { http: _, ...shown } = extensions;
    response
      .status(refusal.status)
      .set(refusal.headers)
      .json(redactTokensIn({ errors: [{ message, extensions: shown }] }));
  };
}
