// Apollo Server for the GraphQL API, with the limits and refusals of the service (docs/contract.md §7).
import { ApolloServer, type ApolloServerOptions, type ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import {
  GraphQLError,
  BREAK,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Logger } from 'pino';
import type { GraphqlLimits } from '../config.ts';
import { ServiceError, type FieldError } from '../errors.ts';
import { logFault, toServiceError } from '../http/fault.ts';
import { mayIntrospect } from '../rules/callers.ts';
import type { AccountedError } from '../telemetry/account.ts';
import { complexityOf, type Complexity } from './complexity.ts';
import { stringifyResult, type GraphqlResult } from './execute.ts';
import { formatError, isFault, graphqlError, tooComplex } from './errors.ts';
import { executeOnce, type GraphqlContext } from './idempotency.ts';
import { subscribe, type Subscribing } from './subscription.ts';
import type { DocumentStore } from './documents.ts';
import { LazySchema } from './site/lazySchema.ts';

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly documents: DocumentStore;
  readonly production: boolean;
  readonly limits: GraphqlLimits;
  readonly log: Logger;
}

type ErrorFormat = NonNullable<ApolloServerOptions<GraphqlContext>['formatError']>;

/** Creates an Apollo Server for a schema, which the caller has to start. */
export function createGraphqlServer(options: GraphqlOptions): ApolloServer<GraphqlContext> {
  const { schema, documents, production, limits, log } = options;
  const format: ErrorFormat = (formatted, error) => formatError(formatted, error, { production, limits });
  return new ApolloServer<GraphqlContext>({
    gateway: executeBy(schema, format),
    stringifyResult,
    // Whether introspection is allowed depends on the caller: guardOperations decides.
    introspection: true,
    hideSchemaDetailsFromClientErrors: production,
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxLexicalTokens: limits.tokens },
    // No page of another origin can send these without a preflight. Apollo's refusal lists all headers that it accepts.
    csrfPrevention: { requestHeaders: ['authorization', 'apollo-require-preflight'] },
    // Documents of one caller are not kept for others: they would take memory, and cross the boundaries of sites.
    persistedQueries: false,
    documentStore: documents,
    stopOnTerminationSignals: false,
    logger: log,
    formatError: format,
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginCacheControlDisabled(),
      guardOperations({ production, limits }),
      logFaults(log),
    ],
  });
}

/** The schema, and who executes operations instead of graphql-js, in the form that Apollo Server asks for. */
function executeBy(
  apiSchema: GraphQLSchema,
  format: ErrorFormat,
): NonNullable<ApolloServerOptions<GraphqlContext>['gateway']> {
  return {
    load: () =>
      Promise.resolve({
        executor: ({ schema: served, document, operation, request: { operationName, variables }, context: given }) => {
          const context = given as GraphqlContext;
          // Introspection fills in all types: those of a schema of its own.
          const isWhole = served instanceof LazySchema && introspects(document);
          const schema = isWhole ? served.copy() : served;
          const execution = { schema, document, operationName, variables, context };
          const write = (error: GraphQLError): GraphQLFormattedError => format(error.toJSON(), error);
          const { takeResults } = context;
          // It may be absent in spite of its type: graphql-js refuses the request then.
          const named = operation as OperationDefinitionNode | undefined;
          if (named?.operation !== OperationTypeNode.SUBSCRIPTION || !takeResults) {
            return executeOnce({ ...execution, operation }, write);
          }
          return beginStream({ ...execution, operation: named }, write, takeResults);
        },
      }),
    onSchemaLoadOrUpdate: (tell) => {
      const begin = (): void => tell({ apiSchema, coreSupergraphSdl: '' });
      if (apiSchema instanceof LazySchema) apiSchema.hideWhile(begin);
      else begin();
      return () => undefined;
    },
    stop: () => Promise.resolve(),
  };
}

/** Begins a subscription. Its results go past Apollo Server, whose own answer is then not used. */
async function beginStream(
  subscribing: Subscribing,
  format: (error: GraphQLError) => GraphQLFormattedError,
  takeResults: NonNullable<GraphqlContext['takeResults']>,
): Promise<GraphqlResult> {
  const begun = await subscribe(subscribing, format);
  if ('refused' in begun) return begun.refused;
  takeResults(begun.results);
  return { data: null };
}

/** Logs errors that are faults of the service or the database; refusals are only noted for the line of their request. */
function logFaults(log: Logger): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didEncounterErrors: ({ errors, contextValue }) => {
          for (const error of errors) {
            const original = unwrapResolverError(error);
            if (original instanceof GraphQLError && !isFault(original, error)) {
              contextValue.account.noteError(describeRefusal(original));
              continue;
            }
            const refusal = toServiceError(original);
            contextValue.account.noteError(refusal);
            logFault(log, refusal, { requestId: contextValue.requestId, path: error.path });
          }
          return Promise.resolve();
        },
      }),
  };
}

/** The code of an error of GraphQL for the log, in the form of REST's. */
function describeRefusal({ extensions }: GraphQLError): AccountedError {
  const { code = 'BAD_REQUEST', errors } = extensions as { code?: string; errors?: FieldError[] };
  return { code: code.toLowerCase(), errors };
}

interface GuardOptions {
  readonly production: boolean;
  readonly limits: GraphqlLimits;
}

/**
 * Refuses introspection by public tokens in production, then operations beyond the limits, then those beyond a rate
 * limit.
 */
function guardOperations({ production, limits }: GuardOptions): ApolloServerPlugin<GraphqlContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation: async ({ schema, document, operation, request, contextValue }) => {
          if (!mayIntrospect(contextValue.caller, production)) refuseIntrospection(document);
          if (schema instanceof LazySchema && schema.fieldCount > maxIntrospected) refuseLargeIntrospection(document);
          // If the document has no operation of that name, Apollo Server itself refuses the request.
          if (operation === undefined) return;
          if (!contextValue.takeResults) refuseSubscription(operation);
          const complexity = complexityOf({ schema, document, operation, variables: request.variables ?? {} });
          refuseComplexity(complexity, limits);
          if (contextValue.once) refuseSeveral(operation, complexity);
          await admit(contextValue, complexity);
        },
      }),
  };
}

function refuseIntrospection(document: DocumentNode): void {
  if (!introspects(document)) return;
  throw new GraphQLError('Public tokens may not introspect the schema.', {
    extensions: { code: 'FORBIDDEN', http: { status: 400 } },
  });
}

/** How many fields the channels of a site can have together before its schema is too large for introspection. */
const maxIntrospected = 5_000;

function refuseLargeIntrospection(document: DocumentNode): void {
  if (!introspects(document)) return;
  const detail = 'The schema is too large for introspection: read it from GET /graphql/site/schema.graphql.';
  throw graphqlError(new ServiceError('query_too_complex', { detail }));
}

/** Refuses subscriptions where results cannot be streamed. */
function refuseSubscription({ operation }: OperationDefinitionNode): void {
  if (operation !== OperationTypeNode.SUBSCRIPTION) return;
  throw new GraphQLError('Subscriptions are streamed: send them to POST /graphql/stream.', {
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
  });
}

/** Whether documents introspect: each is looked through once. */
const introspecting = new WeakMap<DocumentNode, boolean>();

function introspects(document: DocumentNode): boolean {
  const known = introspecting.get(document);
  if (known !== undefined) return known;
  let found = false;
  visit(document, {
    Field: ({ name: { value } }) => {
      if (value === '__schema' || value === '__type') found = true;
      return found ? BREAK : undefined;
    },
  });
  introspecting.set(document, found);
  return found;
}

function refuseComplexity(complexity: Complexity, limits: GraphqlLimits): void {
  for (const what of ['rootFields', 'aliases', 'depth', 'cost'] as const) {
    if (complexity[what] > limits[what]) throw graphqlError(tooComplex(what, limits[what], complexity[what]));
  }
}

/** Refuses a key for several mutation fields: each of them may have been carried out, or not. */
function refuseSeveral({ operation }: OperationDefinitionNode, { rootFields }: Complexity): void {
  if (operation !== OperationTypeNode.MUTATION || rootFields === 1) return;
  throw new GraphQLError('Idempotency-Key holds for an operation with exactly one mutation field.', {
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
  });
}

/** Counts an operation's parts against the rate limits, and waits for its turn. @throws GraphQLError if it is refused */
async function admit(context: GraphqlContext, { operations, cost }: Complexity): Promise<void> {
  try {
    await context.admit(operations, cost);
  } catch (error) {
    throw graphqlError(toServiceError(error));
  }
}
