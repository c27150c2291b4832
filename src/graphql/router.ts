// The GraphQL door's Express handlers: the same context as REST's, then Apollo Server.
import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import { Router, type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { Logger } from 'pino';
import { createContext, readUseAcl, type Context, type ContextDependencies } from '../context.ts';
import { identify, type Identity } from '../auth/identify.ts';
import type { Limits } from '../config.ts';
import { fail } from '../errors.ts';
import { redactTokensIn } from '../redaction.ts';
import { logFault, toServiceError } from '../http/fault.ts';
import { guardRequests, refuseMethod, type GuardDependencies } from '../http/guards.ts';
import { jsonBody, readQuery } from '../http/request.ts';
import { assertStorable, isObject } from '../inputs/json.ts';
import { currentRequestId, graphqlError, tooComplex } from './errors.ts';

const path = '/graphql';
const methods = 'GET, POST, OPTIONS';
/** What a URL may hold: use_acl, and a query of GraphQL over HTTP by GET. */
const parameters = ['use_acl', 'query', 'operationName', 'variables', 'extensions'];

export interface GraphqlDoor extends ContextDependencies, GuardDependencies {
  readonly production: boolean;
  readonly log: Logger;
}

/** A router of the one path, on a server that was started. */
export function graphqlRouter(server: ApolloServer<Context>, door: GraphqlDoor): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.options(path, (_request, response) => {
    response.status(204).set('Allow', methods).end();
  });
  const context = ({ req, res }: { req: Request; res: Response }): Promise<Context> => contextOf(req, res, door);
  router.all(path, refuseOtherMethods, guardRequests(door), identified(door));
  router.all(path, jsonBody({ limit: door.limits.body }), checkBody(door.limits));
  router.all(path, named, unconditional, acceptJson, expressMiddleware(server, { context }));
  router.use(path, refusalHandler(door.log));
  return router;
}

/** Lets the errors of Apollo Server carry the request's id. */
const named: RequestHandler = (_request, response, next) => {
  currentRequestId.run(response.locals.requestId, next);
};

/** GraphQL over HTTP knows GET and POST. */
const refuseOtherMethods: RequestHandler = ({ method }, _response, next) => {
  if (method !== 'GET' && method !== 'POST') refuseMethod(methods);
  next();
};

/** Answers have no validator that a request could name (RFC 9110 §13.1). Express would answer `*` with 304, and no body. */
const unconditional: RequestHandler = ({ headers }, _response, next) => {
  delete headers['if-none-match'];
  delete headers['if-modified-since'];
  next();
};

/** An operation is answered in JSON, whatever is asked for: Apollo Server would refuse another type once it was done. */
const acceptJson: RequestHandler = (request, response, next) => {
  const wantsPage = response.locals['identity'] === undefined;
  if (!wantsPage && !request.accepts(['application/json', 'application/graphql-response+json'])) {
    request.headers.accept = 'application/json';
  }
  next();
};

/** A document in the URL needs no look: the URL is shorter than a document may be. */
function checkBody({ json, graphql }: Limits): RequestHandler {
  return (request, _response, next) => {
    const body: unknown = request.body;
    assertStorable({ body }, json);
    // Said here, since Apollo Server names libraries where it is told a parsed query.
    const query = isObject(body) ? (body['query'] ?? '') : '';
    if (typeof query !== 'string') fail('bad_request', 'query must be a string.');
    if (query.length > graphql.length) throw tooComplex('length', graphql.length, query.length);
    next();
  };
}

/** Who is asking, before the body is read. A browser that gets the Sandbox page needs no token, and gets none. */
function identified(door: GraphqlDoor): RequestHandler {
  return async (request, response, next) => {
    const wantsPage = request.method === 'GET' && request.accepts(['application/json', 'text/html']) === 'text/html';
    if (door.production || !wantsPage) response.locals['identity'] = await identify(request, door);
    next();
  };
}

/** The context of a request whose body has come. @throws GraphQLError with the HTTP status of the refusal */
async function contextOf(request: Request, response: Response, door: GraphqlDoor): Promise<Context> {
  const requestId = response.locals.requestId;
  try {
    const identity = response.locals['identity'] as Identity | undefined;
    if (identity === undefined) fail('unauthenticated');
    const { query } = readQuery(request.originalUrl, parameters, false);
    const asked = query.get('use_acl');
    const useAcl = asked !== undefined && readUseAcl(asked);
    const context = createContext(request, identity, { useAcl, requestId, response }, door);
    return { ...context, ...(await context.rights.renew()) };
  } catch (error) {
    throw graphqlError(toServiceError(error));
  }
}

/** What was refused before Apollo Server saw the request, in GraphQL's form. */
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
