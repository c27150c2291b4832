// Executes the operations that Apollo Server has checked, in a plugin that returns their responses. Apollo's interface
// for gateways takes an executor, too, but makes an object with accessors for each request. V8 keeps a hidden class for
// each such object, and with it everything that the request has used, until the next full garbage collection.
import type {
  GraphQLRequestContextResponseForOperation,
  GraphQLRequestListener,
  GraphQLResponse,
} from '@apollo/server';
import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
  type GraphQLSchema,
} from 'graphql';
import { introspects } from '../documents.ts';
import type { GraphqlResult } from './execute.ts';
import { executeOnce, type ContextValue, type GraphqlContext } from '../idempotency.ts';
import { LazySchema } from '../lazySchema.ts';
import type { Subscribe } from './subscribing.ts';

type Asked = GraphQLRequestContextResponseForOperation<ContextValue>;
type Format = (formatted: GraphQLFormattedError, error: unknown) => GraphQLFormattedError;

/** The handling of an operation's errors. */
interface ErrorHandling {
  /** Formats an error for the response. */
  readonly format: Format;
  /** Notes errors for the log. */
  readonly note: (errors: readonly GraphQLError[], context: GraphqlContext) => void;
}

/** The parts that execute operations. */
interface Handling extends ErrorHandling {
  /** Begins subscriptions; absent if the schema has none. */
  readonly subscribe?: Subscribe | undefined;
}

type Hooks = Required<Pick<GraphQLRequestListener<ContextValue>, 'responseForOperation' | 'didEncounterErrors'>>;

/** Executes operations in place of graphql-js, to which Apollo Server would pass them. */
export function executeOperations(handling: Handling): Hooks {
  return {
    responseForOperation: async (asked) => {
      const { refused } = asked.contextValue;
      if (refused) return makeResponse({ errors: refused }, asked, handling);
      const operation = asked.operation as OperationDefinitionNode | undefined;
      // The document has no operation of that name: graphql-js refuses the request.
      if (operation === undefined) return null;
      let outcome: Outcome;
      try {
        outcome = await executeAsked(asked, operation, handling);
      } catch (error) {
        outcome = describeThrown(error);
      }
      return makeResponse(outcome, asked, handling);
    },
    // Apollo Server refuses the request itself.
    didEncounterErrors: ({ errors, contextValue }) => {
      handling.note(errors, contextValue.context);
      return Promise.resolve();
    },
  };
}

/** A result, and the status of the response if the execution threw an error. */
type Outcome = GraphqlResult & { readonly status?: number };

/** The outcome of an execution that threw an error. */
function describeThrown(error: unknown): Outcome {
  if (error instanceof GraphQLError) return { errors: [error], status: 500 };
  const originalError = error instanceof Error ? error : new Error(String(error));
  return { errors: [new GraphQLError(originalError.message, { originalError })], status: 500 };
}

function executeAsked(
  { schema: served, document, request, contextValue: { context } }: Asked,
  operation: OperationDefinitionNode,
  { format, subscribe }: Handling,
): Promise<GraphqlResult> {
  const { operationName, variables } = request;
  // Introspection fills in all types, so it gets a copy of the schema: the cached one stays small.
  const schema: GraphQLSchema = served instanceof LazySchema && introspects(document) ? served.copy() : served;
  const execution = { schema, document, operation, operationName, variables, context };
  const write = (error: GraphQLError): GraphQLFormattedError => format(error.toJSON(), error);
  const { takeResults } = context;
  if (operation.operation === OperationTypeNode.SUBSCRIPTION && takeResults && subscribe) {
    return beginStream(subscribe(execution, write), takeResults);
  }
  return executeOnce(execution, write);
}

/** Passes on the results of a subscription. They bypass Apollo Server, whose own answer is then not used. */
async function beginStream(
  beginning: ReturnType<Subscribe>,
  takeResults: NonNullable<GraphqlContext['takeResults']>,
): Promise<GraphqlResult> {
  const begun = await beginning;
  if ('refused' in begun) return begun.refused;
  takeResults(begun.results);
  return { data: null };
}

/** Makes the response of an outcome: its errors set the status and headers. */
function makeResponse(
  { status, ...result }: Outcome,
  { response: { http }, contextValue }: Asked,
  { format, note }: ErrorHandling,
): GraphQLResponse {
  const errors = result.errors?.map(withCodeOfVariable);
  if (errors === undefined) return { http, body: { kind: 'single', singleResult: result as SingleResult } };
  note(errors, contextValue.context);
  if (status !== undefined) http.status = status;
  // The variables were refused, so nothing was executed.
  else if (result.data === undefined) http.status = 400;
  const formatted = errors.map((error) => {
    const { http: asked, ...extensions } = error.extensions as Record<string, unknown> & { http?: AskedHead };
    if (asked?.status !== undefined) http.status = asked.status;
    for (const [name, value] of asked?.headers ?? []) http.headers.set(name, value);
    return format({ ...error.toJSON(), extensions }, error);
  });
  return { http, body: { kind: 'single', singleResult: { ...result, errors: formatted } as SingleResult } };
}

/** The status and headers that an error sets (errors.ts). */
interface AskedHead {
  readonly status?: number;
  readonly headers?: ReadonlyMap<string, string>;
}

/** `data` may be a JsonText (write.ts), which `stringifyResult` writes. */
type SingleResult = Extract<GraphQLResponse['body'], { kind: 'single' }>['singleResult'];

/**
 * Gives an error about a variable's value its code, which graphql-js leaves out, so that the answer and the log have
 * the same one.
 */
function withCodeOfVariable(error: GraphQLError): GraphQLError {
  const { message, nodes, source, positions, path, extensions } = error;
  const isOfVariable = nodes?.length === 1 && nodes[0]?.kind === Kind.VARIABLE_DEFINITION;
  if (!isOfVariable || extensions['code'] !== undefined) return error;
  const originalError = error.originalError ?? null;
  const coded = { ...extensions, code: 'BAD_USER_INPUT' };
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions: coded });
}
