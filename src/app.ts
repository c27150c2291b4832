// The handler of every request: health, GraphQL and REST. It does not listen, so that tests can import it.
import type { ApolloServer } from '@apollo/server';
import type { Logger } from 'pino';
import type { Context, ContextDependencies } from './context.ts';
import { ServiceError } from './errors.ts';
import { addGraphql } from './graphql/router.ts';
import { addGraphqlStream, streamPath } from './graphql/streamRouter.ts';
import { createBegin, type BeginConfig } from './http/begin.ts';
import type { GuardDependencies } from './http/guards.ts';
import { addHealth, type Readiness } from './http/health.ts';
import { createRouter, type HttpListener, type HttpRequest, type HttpRouter } from './http/messages.ts';
import { sendProblem } from './http/problem.ts';
import { addRest } from './rest/router.ts';
import { routes } from './rest/routes.ts';

export interface AppDependencies extends ContextDependencies, GuardDependencies, Readiness {
  readonly config: BeginConfig;
  readonly graphql: ApolloServer<Context>;
  readonly log: Logger;
}

/** Creates the handler of the service's requests. Its GraphQL server has to be started before. */
export function createApp(dependencies: AppDependencies): HttpListener {
  const { config, log } = dependencies;
  const begin = createBegin(config, log);
  const router = routeRequests(dependencies);
  return (request, response) => {
    try {
      begin(request, response);
      void router(request, response, (error) => sendProblem(response, error ?? noSuchPath(request), log));
    } catch (error) {
      sendProblem(response, error, log);
    }
  };
}

/** The router of all paths. */
export function routeRequests(dependencies: AppDependencies): HttpRouter {
  const { graphql, config } = dependencies;
  const router = createRouter();
  addHealth(router, dependencies);
  addGraphql(router, graphql, { ...dependencies, production: config.production });
  addGraphqlStream(router, graphql, { ...dependencies, production: config.production });
  addRest(router, dependencies);
  return router;
}

/** The paths that there are, with any value in place of a parameter. */
const knownPaths = ['/livez', '/readyz', '/graphql', streamPath, ...routes.map(({ path }) => path)].map(
  (path) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
);

/** The refusal of a path that there is not. A slash at its end is the likeliest reason. */
function noSuchPath({ path }: HttpRequest): ServiceError {
  const bare = path.replace(/\/+$/, '');
  const isMeant = bare !== path && knownPaths.some((known) => known.test(bare));
  const hint = isMeant ? ` Leave out the slash at its end: ${bare}` : '';
  return new ServiceError('not_found', { detail: `There is nothing at this path.${hint}` });
}
