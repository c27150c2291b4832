// The Express router of REST: the routes of the table, refusals of other methods, and errors as problem details.
import { Router, type ErrorRequestHandler, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ContextDependencies } from '../context.ts';
import { identify } from '../auth/identify.ts';
import { fail } from '../errors.ts';
import { logFault, toServiceError } from '../http/fault.ts';
import { guardRequests, refuseMethod, type GuardDependencies } from '../http/guards.ts';
import { sendProblem } from '../http/problem.ts';
import { isWellEncoded } from '../http/request.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

/** Creates a router for all rows of the table. */
export function restRouter(dependencies: ContextDependencies & GuardDependencies): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(guardRequests(dependencies), refuseBadPath(dependencies));
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    for (const route of here) router[routerMethod(route)](path, ...route.createHandlers(dependencies));
    router.all(path, otherMethods(here));
  }
  return router;
}

/** Refuses a path that is not well encoded, but only after the credentials (401): the router itself would refuse it first. */
function refuseBadPath(dependencies: ContextDependencies): RequestHandler {
  return async (request, _response, next) => {
    if (!request.path.includes('%') || isWellEncoded(request.path)) {
      next();
      return;
    }
    await identify(request, dependencies);
    fail('bad_request', 'The path must be percent-encoded UTF-8.');
  };
}

/** Answers OPTIONS with the methods of a path, without a token; refuses other methods by 405 (RFC 9110 §9.3.7, §15.5.6). */
function otherMethods(routes: readonly Route[]): RequestHandler {
  const methods = routes.map(({ method }) => method);
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return (request, response) => {
    if (request.method !== 'OPTIONS') refuseMethod(allow);
    response.status(204).set('Allow', allow).end();
  };
}

/** Refuses a path that neither REST nor GraphQL has. */
export const noSuchPath: RequestHandler = () => fail('not_found', 'There is nothing at this path.');

/** Sends whatever was thrown while the request was handled as problem details, and logs faults. */
export function problemHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    const refusal = toServiceError(error);
    logFault(log, refusal, { requestId: response.locals.requestId });
    if (response.headersSent) next(error);
    else sendProblem(response, refusal);
  };
}

function routerMethod({ method }: Route): 'get' | 'post' | 'put' | 'patch' | 'delete' {
  return method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
}
