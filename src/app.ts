// The handler of every request: health, GraphQL and REST. It does not listen, so that tests can import it.
import type { ApolloServer } from '@apollo/server';
import type { Logger } from 'pino';
import { ServiceError } from './base/errors.ts';
import { sendMissingPage } from './browser/missing.ts';
import { addPages, listPagePaths } from './browser/router.ts';
import type { Config } from './config/config.ts';
import type { ContextValue } from './graphql/idempotency.ts';
import { addGraphql, graphqlPath, sendRefusal, type GraphqlDoor, type ServedSchema } from './graphql/router.ts';
import { createBegin, type BeginConfig, type BeginDependencies } from './http/begin.ts';
import { addGraphqlStream, streamPath } from './graphql/streamRouter.ts';
import { addSchemaTexts, sitePath, sitePaths } from './features/typed/graphql/router.ts';
import type { SiteSchemas } from './features/typed/graphql/schemas.ts';
import { addHealth, probePaths, type Readiness } from './http/health.ts';
import { createRouter, HttpResponse, type HttpListener, type HttpRequest, type HttpRouter } from './http/messages.ts';
import { sendProblem } from './http/problem.ts';
import type { RestParts } from './rest/route.ts';
import { addRest } from './rest/router.ts';
import { addSignIn, listSignInPaths } from './features/signIn/door.ts';
import type { SignInDoor } from './features/signIn/doorParts.ts';
import { routes } from './features.ts';
import { findOwner } from './telemetry/strays.ts';
import { runInRequestSpan } from './telemetry/tracing.ts';

export interface AppDependencies
  extends GraphqlDoor, RestParts, Readiness, Pick<SignInDoor, 'signIns' | 'links' | 'providers'> {
  readonly config: BeginConfig & Pick<Config, 'console' | 'signIn'>;
  readonly graphql: ApolloServer<ContextValue>;
  readonly siteSchemas: SiteSchemas;
  readonly log: Logger;
  /** Counts requests and their operations; null without metrics. */
  readonly metrics: (NonNullable<BeginDependencies['metrics']> & NonNullable<SignInDoor['metrics']>) | null;
}

/** Creates the handler of the service's requests. Its GraphQL server has to be started before. */
export function createApp(dependencies: AppDependencies): HttpListener {
  const { config, log, metrics } = dependencies;
  const paths = listPaths(config);
  const begin = createBegin(config, { log, metrics, nameRoute: createRouteNamer(paths) });
  const router = routeRequests(dependencies);
  const handle: HttpListener = (request, response) => {
    try {
      begin(request, response);
      void router(request, response, (error) => {
        if (error !== undefined && error !== null) {
          sendProblem(response, error, log);
          return;
        }
        const refusal = noSuchPath(request, paths);
        if (sendMissingPage(request, response, config)) request.account.noteError(refusal);
        else sendProblem(response, refusal, log);
      });
    } catch (error) {
      sendProblem(response, error, log);
    }
  };
  return (request, response) =>
    runInRequestSpan(request, (span) => {
      response.span = span;
      handle(request, response);
    });
}

/** Counts unhandled rejections. */
export interface StrayObserver {
  readonly countStray: (source: 'request' | 'unknown') => void;
}

/**
 * Creates the handler of unhandled rejections, each with its reason: they are logged and counted, and end the request
 * that they belong to, if that is known (docs/contract.md §13.2). Nothing else of the process waits for them.
 */
export function createStrayHandler(log: Logger, metrics: StrayObserver | null): (reason: unknown) => void {
  return (reason) => {
    const answer = findOwner(reason)?.answer;
    const response = answer instanceof HttpResponse ? answer : null;
    log.error({ ...(response && { requestId: response.req.id }), err: reason }, 'stray rejection');
    metrics?.countStray(response ? 'request' : 'unknown');
    if (response) abandon(response, reason, log);
  };
}

/** Ends a request with an incomplete answer: with a 500, or by closing the connection if the answer has begun. */
function abandon(response: HttpResponse, reason: unknown, log: Logger): void {
  if (response.writableEnded || response.destroyed) return;
  const fault = new ServiceError('internal', { detail: 'Something went wrong here.', internal: reason });
  if (response.headersSent) response.req.socket.destroy();
  else {
    // The next request of the connection would wait for work that never ends.
    response.setHeader('Connection', 'close');
    if (response.req.path.startsWith(graphqlPath)) sendRefusal(response, fault, log);
    else sendProblem(response, fault, log);
  }
  response.isAbandoned = true;
}

/** The router of all paths. */
export function routeRequests(dependencies: AppDependencies): HttpRouter {
  const { graphql: server, siteSchemas, config } = dependencies;
  const router = createRouter();
  addHealth(router, dependencies);
  addSignIn(router, dependencies);
  addPages(router, { ...dependencies, paths: listPaths(config).map(({ path }) => path) });
  addGraphql(router, { path: graphqlPath, server }, dependencies);
  const serverFor: ServedSchema['serverFor'] = (context) => siteSchemas.serverFor(context);
  addGraphql(router, { path: sitePath, server, serverFor }, dependencies);
  addSchemaTexts(router, siteSchemas, dependencies);
  addGraphqlStream(router, server, dependencies);
  addRest(router, routes, dependencies);
  return router;
}

interface KnownPath {
  readonly path: string;
  /** Matches its requests: any value in place of a parameter. */
  readonly shape: RegExp;
}

/** All known paths. */
function listPaths(config: Pick<Config, 'console' | 'signIn'>): readonly KnownPath[] {
  const graphqlPaths = [graphqlPath, streamPath, ...sitePaths];
  const ownPaths = [...probePaths, ...listPagePaths(config), ...listSignInPaths(config), ...graphqlPaths];
  const paths = [...ownPaths, ...routes.map(({ path }) => path)];
  return [...new Set(paths)].map((path) => ({
    path,
    shape: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
  }));
}

/**
 * Creates the function that gives the pattern of a request's path: as the router found it or, for a request that was
 * refused before, by its path; else `unknown`.
 */
function createRouteNamer(paths: readonly KnownPath[]): (request: HttpRequest) => string {
  return (request) => {
    const { route } = request;
    const found = typeof route === 'object' && route !== null && 'path' in route ? route.path : undefined;
    if (typeof found === 'string') return found;
    const { path } = request;
    return paths.find(({ shape }) => shape.test(path))?.path ?? 'unknown';
  };
}

/** The refusal of an unknown path. A slash at its end is the likeliest reason. */
function noSuchPath({ path }: HttpRequest, paths: readonly KnownPath[]): ServiceError {
  const bare = path.replace(/\/+$/, '');
  const isMeant = bare !== path && paths.some(({ shape }) => shape.test(bare));
  const hint = isMeant ? ` Leave out the slash at its end: ${bare}` : '';
  return new ServiceError('not_found', { detail: `There is nothing at this path.${hint}` });
}
