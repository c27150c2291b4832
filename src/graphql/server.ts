// The GraphQL door: Apollo Server, with the refusals of the service as its errors (docs/contract.md §7).
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import {
  GraphQLError,
  BREAK,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql';
import type { Logger } from 'pino';
import type { GraphqlLimits } from '../config.ts';
import type { Context } from '../context.ts';
import { logFault, toServiceError } from '../http/fault.ts';
import { mayIntrospect } from '../rules/callers.ts';
import { formatError, isFault, graphqlError, tooComplex } from './errors.ts';
import { createSchema } from './schema.ts';
import { complexityOf, type Complexity } from './complexity.ts';

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

interface GuardOptions {
  readonly production: boolean;
  readonly limits: GraphqlLimits;
}

/** Refuses introspection to public tokens in production, then what asks for too much, then what comes too often. */
function guardOperations({ production, limits }: GuardOptions): ApolloServerPlugin<Context> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation: async ({ schema, document, operation, request, contextValue }) => {
          if (!mayIntrospect(contextValue.caller, production)) refuseIntrospection(document);
          // Apollo answers by itself where the document has no such operation.
          if (operation === undefined) return;
          refuseSubscriptions(operation);
          const complexity = complexityOf({ schema, document, operation, variables: request.variables ?? {} });
          refuseComplexity(complexity, limits);
          await admit(contextValue, complexity.operations);
        },
      }),
  };
}

function refuseIntrospection(document: DocumentNode): void {
  if (!introspects(document)) return;
  throw new GraphQLError('Introspection is closed to public tokens.', {
    extensions: { code: 'FORBIDDEN', http: { status: 400 } },
  });
}

/** There are none, which the executor would tell as a fault of the service. */
function refuseSubscriptions({ operation }: OperationDefinitionNode): void {
  if (operation !== OperationTypeNode.SUBSCRIPTION) return;
  throw new GraphQLError('There are no subscriptions.', {
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
  });
}

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

function refuseComplexity(complexity: Complexity, limits: GraphqlLimits): void {
  for (const what of ['rootFields', 'aliases', 'depth', 'cost'] as const) {
    if (complexity[what] > limits[what]) throw graphqlError(tooComplex(what, limits[what], complexity[what]));
  }
}

/** Each field at the top is an operation of its own, and a bulk one as many as it has. */
async function admit(context: Context, operations: number): Promise<void> {
  try {
    await context.admit(operations);
  } catch (error) {
    throw graphqlError(toServiceError(error));
  }
}
