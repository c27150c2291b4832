// Apollo Server for the GraphQL API, with the limits and refusals of the service (docs/contract.md §7).
import { ApolloServer, type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import {
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Logger } from 'pino';
import type { GraphqlLimits } from '../config/config.ts';
import { ServiceError, type FieldError } from '../base/errors.ts';
import { isPromise } from '../base/promiseOrValue.ts';
import { logFault, toServiceError } from '../http/fault.ts';
import { mayIntrospect } from '../rules/callers.ts';
import type { LoggedError } from '../telemetry/requestStats.ts';
import { complexityOf, type Complexity } from './complexity.ts';
import { stringifyResult } from './executor/execute.ts';
import { executeOperations } from './executor/execution.ts';
import type { Subscribe } from './executor/subscribing.ts';
import { formatError, isFault, graphqlError, tooComplex } from './errors.ts';
import type { ContextValue, GraphqlContext } from './idempotency.ts';
import { introspects, storeOf, type KnownDocuments } from './documents.ts';
import { refuseManyConditions } from './conditions.ts';
import { LazySchema } from './lazySchema.ts';
import { readDocument } from './validate.ts';

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly documents: KnownDocuments;
  readonly production: boolean;
  readonly limits: GraphqlLimits;
  readonly log: Logger;
  /** Begins subscriptions; absent if the schema has none. */
  readonly subscribe?: Subscribe;
}

/**
 * Pages of other origins cannot send these without a preflight. Apollo Server's refusal lists all headers that it
 * accepts.
 */
export const csrfHeaders = ['authorization', 'apollo-require-preflight'];

/** Creates an Apollo Server for a schema, which the caller has to start. */
export function createGraphqlServer(options: GraphqlOptions): ApolloServer<ContextValue> {
  const { schema, documents, production, limits, log, subscribe } = options;
  const note = (errors: readonly GraphQLError[], context: GraphqlContext): void => noteErrors(errors, context, log);
  const create = (): ApolloServer<ContextValue> =>
    new ApolloServer<ContextValue>({
      schema,
      stringifyResult,
      // Whether introspection is allowed depends on the caller: guardOperations decides.
      introspection: true,
      // validate.ts leaves out the details already, and the option would add a plugin.
      hideSchemaDetailsFromClientErrors: false,
      includeStacktraceInErrorResponses: false,
      csrfPrevention: { requestHeaders: csrfHeaders },
      // Documents of one caller are not kept for others: they would take memory, and cross the boundaries of sites.
      persistedQueries: false,
      documentStore: storeOf(documents),
      stopOnTerminationSignals: false,
      logger: log,
      formatError,
      plugins: [
        ApolloServerPluginLandingPageDisabled(),
        ApolloServerPluginCacheControlDisabled(),
        // Nothing is reported to Apollo, whatever variables the environment has.
        ApolloServerPluginInlineTraceDisabled(),
        ApolloServerPluginSchemaReportingDisabled(),
        ApolloServerPluginUsageReportingDisabled(),
        hookIn({
          ...prepareDocuments({ documents, limits, log }),
          ...executeOperations({ format: formatError, note, subscribe }),
          ...guardOperations({ production, limits, log }),
        }),
      ],
    });
  return schema instanceof LazySchema ? schema.hideWhile(create) : create();
}

/**
 * Logs errors that are faults of the service or the database; refusals are only noted for the log line of their
 * request.
 */
function noteErrors(errors: readonly GraphQLError[], { stats }: GraphqlContext, log: Logger): void {
  for (const error of errors) {
    const original = unwrapResolverError(error);
    if (original instanceof GraphQLError && !isFault(original, error)) {
      stats.noteError(describeRefusal(original));
      continue;
    }
    const refusal = toServiceError(original);
    stats.noteError(refusal);
    logFault(log, refusal, { requestId: stats.requestId, path: error.path });
  }
}

/** The code of an error of GraphQL for the log, in the form of REST's. */
function describeRefusal({ extensions }: GraphQLError): LoggedError {
  const { code = 'BAD_REQUEST', errors } = extensions as { code?: string; errors?: FieldError[] };
  return { code: code.toLowerCase(), errors };
}

/**
 * Parses and validates unknown documents, one at a time in the process: callers are served in turn, and between two
 * documents other requests have as much time as the last one took (src/admission/shares.ts).
 */
function prepareDocuments({
  documents,
  limits,
  log,
}: Pick<GraphqlOptions, 'documents' | 'limits' | 'log'>): Required<
  Pick<GraphQLRequestListener<ContextValue>, 'didResolveSource'>
> {
  return {
    didResolveSource: (asked) => (documents.get(asked.queryHash) === undefined ? prepare(asked) : prepared),
  };

  async function prepare({ source, queryHash, schema, contextValue }: Resolved): Promise<void> {
    try {
      // Another caller may have sent it meanwhile.
      const read = await contextValue.shares.readAlone(() => {
        const document = documents.get(queryHash);
        return document === undefined ? readDocument(source, schema, limits) : { document };
      });
      if ('document' in read) documents.keep(queryHash, read.document);
      else contextValue.refused = read.refused;
    } catch (error) {
      contextValue.refused = [refusalOf(error, contextValue.context, log)];
    }
  }
}

type Resolved = Parameters<NonNullable<GraphQLRequestListener<ContextValue>['didResolveSource']>>[0];

/** Each request waits for a hook: for a known document it is this promise. */
const prepared = Promise.resolve();

/**
 * Makes the plugin of all hooks. There is one, because each request waits at each hook for each plugin, with this hook
 * or without it.
 */
function hookIn(hooks: GraphQLRequestListener<ContextValue>): ApolloServerPlugin<ContextValue> {
  const listening = Promise.resolve(hooks);
  return { requestDidStart: () => listening };
}

/**
 * Refuses introspection by public tokens in production, then operations beyond the limits, then those beyond a rate
 * limit.
 */
function guardOperations({
  production,
  limits,
  log,
}: Pick<GraphqlOptions, 'production' | 'limits' | 'log'>): Required<
  Pick<GraphQLRequestListener<ContextValue>, 'didResolveOperation'>
> {
  return {
    didResolveOperation: async ({ schema, document, operation, request, contextValue: { context, refused } }) => {
      if (refused) return;
      if (!mayIntrospect(context.caller, production)) refuseIntrospection(document);
      if (schema instanceof LazySchema && schema.fieldCount > maxIntrospected) refuseLargeIntrospection(document);
      // If the document has no operation of that name, Apollo Server itself refuses the request.
      if (operation === undefined) return;
      if (!context.takeResults) refuseSubscription(operation, schema);
      const { variables = {} } = request;
      if (schema instanceof LazySchema) refuseManyConditions(operation, variables, schema);
      const complexity = complexityOf({ schema, document, operation, variables });
      refuseComplexity(complexity, limits);
      if (context.once) refuseSeveral(operation, complexity);
      try {
        const admitted = context.admission.admit(complexity.operations, complexity.cost);
        if (isPromise(admitted)) await admitted;
        // No operation of the service checks the caller's rights again for the schema.
        if (introspects(document)) await context.admission.rights.renew();
      } catch (error) {
        throw refusalOf(error, context, log);
      }
    },
  };
}

function refuseIntrospection(document: DocumentNode): void {
  if (!introspects(document)) return;
  throw new GraphQLError('Public tokens may not introspect the schema.', {
    extensions: { code: 'FORBIDDEN', http: { status: 400 } },
  });
}

/** The number of fields in the channels of a site above which its schema is too large for introspection. */
const maxIntrospected = 5_000;

function refuseLargeIntrospection(document: DocumentNode): void {
  if (!introspects(document)) return;
  const detail = 'The schema is too large for introspection: read it from GET /graphql/site/schema.graphql.';
  throw graphqlError(new ServiceError('query_too_complex', { detail }));
}

/** Refuses subscriptions if results cannot be streamed. */
function refuseSubscription({ operation }: OperationDefinitionNode, schema: GraphQLSchema): void {
  if (operation !== OperationTypeNode.SUBSCRIPTION) return;
  const detail =
    schema instanceof LazySchema
      ? 'This schema has no subscriptions. POST /graphql/stream has those of the static schema.'
      : 'Subscriptions are streamed: send them to POST /graphql/stream.';
  throw new GraphQLError(detail, {
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
  });
}

function refuseComplexity(complexity: Complexity, limits: GraphqlLimits): void {
  for (const what of ['rootFields', 'aliases', 'depth', 'cost'] as const) {
    if (complexity[what] > limits[what]) throw graphqlError(tooComplex(what, limits[what], complexity[what]));
  }
}

/** Refuses a key for several mutation fields: it would be unknown which of them were carried out. */
function refuseSeveral({ operation }: OperationDefinitionNode, { rootFields }: Complexity): void {
  if (operation !== OperationTypeNode.MUTATION || rootFields === 1) return;
  throw new GraphQLError('Idempotency-Key holds for an operation with exactly one mutation field.', {
    extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
  });
}

/** The error of a request that is refused before it is executed; a fault is logged. */
function refusalOf(error: unknown, { stats: { requestId } }: GraphqlContext, log: Logger): GraphQLError {
  const refusal = toServiceError(error);
  logFault(log, refusal, { requestId });
  return graphqlError(refusal);
}
