// The GraphQL door: Apollo Server, with the refusals of the service as its errors (contract §7).
import { AsyncLocalStorage } from 'node:async_hooks';
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { BREAK, GraphQLError, visit, type DocumentNode, type GraphQLFormattedError } from 'graphql';
import type { Logger } from 'pino';
import type { Context } from '../context.ts';
import { errorTable, type ServiceError } from '../errors.ts';
import { refusalOf } from '../http/fault.ts';
import { createSchema } from './schema.ts';

export interface GraphqlOptions {
  readonly production: boolean;
  readonly log: Logger;
}

/** An Apollo Server, not started yet. */
export function createGraphqlServer({ production, log }: GraphqlOptions): ApolloServer<Context> {
  return new ApolloServer<Context>({
    schema: createSchema(),
    // Who may introspect depends on the caller: see guardIntrospection.
    introspection: true,
    hideSchemaDetailsFromClientErrors: production,
    includeStacktraceInErrorResponses: false,
    // Far above what an application sends, far below what exhausts the parser's stack.
    parseOptions: { maxLexicalTokens: 10_000 },
    stopOnTerminationSignals: false,
    logger: log,
    formatError: (formatted, error) => withoutSuggestions(formatError(formatted, error), production),
    plugins: [
      production ? ApolloServerPluginLandingPageDisabled() : sandbox(),
      ApolloServerPluginCacheControlDisabled(),
      logFaults(log),
      ...(production ? [guardIntrospection] : []),
    ],
  });
}

/** Apollo Sandbox on this endpoint, the headers of contract §2 ready to fill. No token is ever put into the page. */
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

/** The id of the request that is being answered: every error carries it, those too that know no context. */
export const currentRequestId = new AsyncLocalStorage<string>();

/** A refusal as a GraphQL error; with the HTTP status where it comes before execution. */
export function graphqlError(refusal: ServiceError): GraphQLError {
  return new GraphQLError(refusal.detail, {
    extensions: {
      ...extensionsOf(refusal),
      http: { status: refusal.status, headers: new Map(Object.entries(refusal.headers)) },
    },
  });
}

function extensionsOf({ code, errors }: ServiceError): Record<string, unknown> {
  return { code: errorTable[code].graphql, ...(errors && { errors }), requestId: currentRequestId.getStore() };
}

/** Apollo's own words on a request that is no valid GraphQL pass; whatever a resolver threw is said as a refusal. */
function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = unwrapResolverError(error);
  if (original instanceof GraphQLError) {
    return { ...formatted, extensions: { ...formatted.extensions, requestId: currentRequestId.getStore() } };
  }
  const refusal = refusalOf(original);
  const { locations, path } = formatted;
  return {
    message: refusal.detail,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: extensionsOf(refusal),
  };
}

/** Errors of variables suggest names of the schema, which Apollo's own option does not hide. */
function withoutSuggestions(error: GraphQLFormattedError, production: boolean): GraphQLFormattedError {
  return production ? { ...error, message: error.message.replace(/ Did you mean .*\?$/s, '') } : error;
}

/** Writes what is nobody's refusal to the log. */
function logFaults(log: Logger): ApolloServerPlugin<Context> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didEncounterErrors: ({ errors, contextValue }) => {
          for (const error of errors) {
            const original = unwrapResolverError(error);
            const refusal = original instanceof GraphQLError ? null : refusalOf(original);
            if (refusal && refusal.status >= 500) {
              log.error({ requestId: contextValue.requestId, err: refusal.cause, path: error.path }, refusal.code);
            }
          }
          return Promise.resolve();
        },
      }),
  };
}

/**
 * Closes introspection to public tokens. At each operation, since a validation rule would hold for whoever sent the
 * document first: valid documents are cached.
 */
const guardIntrospection: ApolloServerPlugin<Context> = {
  requestDidStart: () =>
    Promise.resolve({
      didResolveOperation: ({ document, contextValue }) => {
        if (contextValue.caller.kind === 'public' && introspects(document)) {
          throw new GraphQLError('Introspection is closed to public tokens.', {
            extensions: { code: 'FORBIDDEN', http: { status: 400 } },
          });
        }
        return Promise.resolve();
      },
    }),
};

function introspects(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Field: ({ name: { value } }) => {
      if (value === '__schema' || value === '__type') found = true;
      return found ? BREAK : undefined;
    },
  });
  return found;
}
