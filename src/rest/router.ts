// The REST door's Express router: the table's routes, the methods that a path lacks, and refusals as problem details.
import { Router, type ErrorRequestHandler, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ContextDependencies } from '../context.ts';
import { identify } from '../auth/identify.ts';
import { fail } from '../errors.ts';
import { logFault, toServiceError } from '../http/fault.ts';
import { guardRequests, refuseMethod, type GuardDependencies } from '../http/guards.ts';
import { isWellEncoded } from '../http/request.ts';
import type { Route } from './route.ts';
import { sendProblem } from '../http/problem.ts';
import { routes } from './routes.ts';

/** A router of the whole table. */
export function restRouter(dependencies: ContextDependencies & GuardDependencies): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(guardRequests(dependencies), refuseBadPath(dependencies));
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    for (const route of here) router[verbOf(route)](path, ...route.createHandlers(dependencies));
    router.all(path, otherMethods(here));
  }
  return router;
}

/** A path that is not well encoded, which the router itself would refuse before it is known who asks. */
function refuseBadPath(dependencies: ContextDependencies): RequestHandler {
  return async (request, _response, next) => {
    if (!request.path.includes('%') || isWellEncoded(request.path)) {
      next();
      return;
    }
    await identify(request, dependencies);
    fail('bad_request', 'The path is not well encoded.');
  };
}

/** OPTIONS tells the methods of a path, without a token; another one that it lacks is 405 (RFC 9110 §9.3.7, §15.5.6). */
function otherMethods(routes: readonly Route[]): RequestHandler {
  const methods = routes.map(({ method }) => method);
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  return (request, response) => {
    if (request.method !== 'OPTIONS') refuseMethod(allow);
    response.status(204).set('Allow', allow).end();
  };
}

/** A path that no door has. */
export const noSuchPath: RequestHandler = () => fail('not_found', 'There is nothing at this path.');

/** Whatever was thrown on the way, as a problem; what is nobody's refusal is logged. */
export function problemHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    const refusal = toServiceError(error);
    logFault(log, refusal, { requestId: response.locals.requestId });
    if (response.headersSent) next(error);
    else sendProblem(response, refusal);
  };
}

function verbOf({ method }: Route): 'get' | 'post' | 'put' | 'patch' | 'delete' {
  return method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
}
