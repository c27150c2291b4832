// The handler of every request: health, GraphQL and REST. It does not listen, so that tests can import it.
import type { ApolloServer } from '@apollo/server';
import type { Logger } from 'pino';
import type { Context, ContextDependencies } from './context.ts';
import { ServiceError } from './errors.ts';
import { addGraphql } from './graphql/router.ts';
import { createBegin, type BeginConfig } from './http/begin.ts';
import type { GuardDependencies } from './http/guards.ts';
import { addHealth, type Readiness } from './http/health.ts';
import { createRouter, type HttpListener, type HttpRouter } from './http/messages.ts';
import { sendProblem } from './http/problem.ts';
import { addRest } from './rest/router.ts';

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
      void router(request, response, (error) => sendProblem(response, error ?? noSuchPath(), log));
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
  addRest(router, dependencies);
  return router;
}

function noSuchPath(): ServiceError {
  return new ServiceError('not_found', { detail: 'There is nothing at this path.' });
}
