// The GraphQL door: Apollo Server, with the refusals of the service as its errors (docs/contract.md §7).
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { GraphqlLimits } from '../config.ts';
import type { Context } from '../context.ts';
import { logFault, toServiceError } from '../http/fault.ts';
import { formatError, isFault } from './errors.ts';
import { guardOperations } from './guards.ts';
import { createSchema } from './schema.ts';

export interface GraphqlOptions {
  readonly production: boolean;
  readonly limits: GraphqlLimits;
  readonly log: Logger;
}

/** An Apollo Server, not started yet. */
export function createGraphqlServer({ production, limits, log }: GraphqlOptions): ApolloServer<Context> {
  return new ApolloServer<Context>({
    schema: createSchema(),
    // Who may introspect depends on the caller: see guards.ts.
    introspection: true,
    hideSchemaDetailsFromClientErrors: production,
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxLexicalTokens: limits.tokens },
    // The header of docs/contract.md §7 and no other: the refusal names those that would do.
    csrfPrevention: { requestHeaders: ['apollo-require-preflight'] },
    // Nobody needs the documents of one caller kept for others: they would cost memory, and cross sites.
    persistedQueries: false,
    stopOnTerminationSignals: false,
    logger: log,
    formatError: (formatted, error) => formatError(formatted, error, { production, limits }),
    plugins: [
      production ? ApolloServerPluginLandingPageDisabled() : sandbox(),
      ApolloServerPluginCacheControlDisabled(),
      guardOperations({ production, limits }),
      logFaults(log),
    ],
  });
}

/** Apollo Sandbox on this endpoint, the headers of docs/contract.md §2 ready to fill. No token is ever put into the page. */
function sandbox(): ApolloServerPlugin {
  return ApolloServerPluginLandingPageLocalDefault({
    embed: {
      endpointIsEditable: false,
      initialState: { sharedHeaders: { Authorization: 'Bearer ', 'X-Service-Site': '', 'Session-Token': '' } },
    },
    document: 'query Channels {\n  channels {\n    id\n    name\n  }\n}\n',
    footer: false,
  });
}

/** Writes what is nobody's refusal to the log. */
function logFaults(log: Logger): ApolloServerPlugin<Context> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didEncounterErrors: ({ errors, contextValue }) => {
          for (const error of errors) {
            const original = unwrapResolverError(error);
            if (original instanceof GraphQLError && !isFault(original, error)) continue;
            logFault(log, toServiceError(original), { requestId: contextValue.requestId, path: error.path });
          }
          return Promise.resolve();
        },
      }),
  };
}
