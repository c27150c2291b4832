// The Express app: middleware for every request, then GraphQL and REST. It does not listen, so that tests can import it.
import type { ApolloServer } from '@apollo/server';
import cors from 'cors';
import express, { type Express } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Context, ContextDependencies } from './context.ts';
import { graphqlRouter } from './graphql/router.ts';
import type { GuardDependencies } from './http/guards.ts';
import { health, type Readiness } from './http/health.ts';
import { requestLog, standingHeaders } from './http/request.ts';
import { noSuchPath, problemHandler, restRouter } from './rest/router.ts';

export interface AppDependencies extends ContextDependencies, GuardDependencies, Readiness {
  readonly config: Pick<Config, 'production' | 'corsOrigins' | 'trustProxy'>;
  readonly graphql: ApolloServer<Context>;
  readonly log: Logger;
}

/** Headers that scripts of other origins may read (docs/contract.md §5). */
const exposedHeaders = [
  'Allow',
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
  'X-Next-Cursor',
  'X-Page',
  'X-Per-Page',
  'X-Total-Count',
  'X-Total-Pages',
  'X-Total-Count-At-Least',
];

/** The origins of Apollo's hosted Sandbox. In development they are allowed in addition to CORS_ORIGINS. */
const sandboxOrigins = ['https://studio.apollographql.com', 'https://sandbox.embed.apollographql.com'];

/** Creates the app of the service. Its GraphQL server has to be started before. */
export function createApp(dependencies: AppDependencies): Express {
  const { config, graphql, log } = dependencies;
  const app = express();
  app.set('etag', false);
  app.set('query parser', false);
  app.set('trust proxy', config.trustProxy);
  app.use(standingHeaders(), requestLog(log), securityHeaders(config), crossOrigin(config), health(dependencies));
  app.use(graphqlRouter(graphql, { ...dependencies, production: config.production }));
  app.use(restRouter(dependencies));
  app.use(noSuchPath, problemHandler(log));
  return app;
}

function securityHeaders({ production }: AppDependencies['config']): express.RequestHandler {
  return helmet({
    // In production only JSON is served. In development the Sandbox page loads its own scripts.
    contentSecurityPolicy: production
      ? { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } }
      : false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // The server that terminates TLS decides on this header, because it concerns the whole host.
    strictTransportSecurity: false,
  });
}

/** Allows the configured origins, or any if there are none, without credentials. The routes answer OPTIONS themselves. */
function crossOrigin({ production, corsOrigins }: AppDependencies['config']): express.RequestHandler {
  const named = corsOrigins && [...corsOrigins, ...(production ? [] : sandboxOrigins)];
  return cors({ origin: named ?? '*', exposedHeaders, maxAge: 86_400, preflightContinue: true });
}
