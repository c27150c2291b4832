// Idempotency-Key in GraphQL (docs/contract.md §5.11): it holds for an operation with one mutation field.
import { GraphQLError, OperationTypeNode, type GraphQLFormattedError } from 'graphql';
import type { Context } from '../resolvers/context.ts';
import { toServiceError } from '../http/fault.ts';
import { answerOnce } from '../resolvers/idempotency.ts';
import { graphqlError } from './errors.ts';
import type { CallerShares } from '../admission/shares.ts';
import type { SubscriptionResults } from './executor/results.ts';
import { execute, type Execution, type GraphqlResult } from './executor/execute.ts';
import { JsonText } from './executor/write.ts';

/** The context of an operation, and the Idempotency-Key of its request. */
export interface GraphqlContext extends Context {
  /** Absent if the request has no Idempotency-Key. */
  readonly once?: {
    readonly key: string;
    /** Marks the response as a stored one. */
    readonly onReplay: () => void;
  };
  /** The schema of the operation, if it is not the static one: an equal document has another meaning there. */
  readonly door?: 'site';
  /** Takes the results of a subscription; absent if they cannot be streamed. */
  readonly takeResults?: (results: SubscriptionResults) => void;
  /** Takes whether the operation's field stored anything. */
  readonly noteStored?: (stored: boolean) => void;
}

/**
 * The value that Apollo Server gets in place of the context: it copies the value of each request, which takes 3 µs for
 * an object with as many members as a context, and the copy is slow to read.
 */
export interface ContextValue {
  readonly context: GraphqlContext;
  /** A new document is read in a slot of the caller. */
  readonly shares: Pick<CallerShares, 'readAlone'>;
  /** The errors for which the document is refused; absent if it is valid. */
  refused?: readonly GraphQLError[];
}

/** A result as it is stored. */
interface StoredResult {
  /** The data, in JSON. */
  readonly data: string;
  readonly errors: readonly GraphQLFormattedError[];
}

/** Ends a transaction in which the operation's field was refused. */
class Refused extends Error {
  readonly result: GraphqlResult;

  constructor(result: GraphqlResult) {
    super('The field was refused.');
    this.result = result;
  }
}

type OwnExecution = Execution & { readonly context: GraphqlContext };
type ErrorFormatter = (error: GraphQLError) => GraphQLFormattedError;

/**
 * Executes an operation; a mutation with an Idempotency-Key only if the same caller has not sent it before.
 * @param format makes the response's error of an error
 * @throws GraphQLError with the HTTP status of the refusal, if the key was used for another request or is in use
 */
export function executeOnce(execution: OwnExecution, format: ErrorFormatter): Promise<GraphqlResult> {
  const { once } = execution.context;
  const isMutation = execution.operation.operation === OperationTypeNode.MUTATION;
  return once && isMutation ? executeWithKey(execution, once, format) : execute(execution);
}

async function executeWithKey(
  execution: OwnExecution,
  once: NonNullable<GraphqlContext['once']>,
  format: ErrorFormatter,
): Promise<GraphqlResult> {
  const { context, document, operationName = null, variables = {} } = execution;
  const request = JSON.stringify([
    `graphql${context.door ?? ''}`,
    context.useAcl,
    document.loc?.source.body,
    operationName,
    variables,
  ]);
  let result: GraphqlResult | undefined;
  try {
    const stored = await answerOnce(context, { key: once.key, request }, async (inner) => {
      let isKept: boolean | undefined;
      const noteStored = (stores: boolean): void => {
        isKept = stores;
      };
      result = await execute({ ...execution, context: { ...inner, noteStored } });
      // The field was refused: its earlier writes are rolled back with the transaction.
      if (isKept === undefined) throw new Refused(result);
      const body = JSON.stringify(storable(result, format));
      return { response: { status: 200, headers: {}, body }, isKept };
    });
    if (!stored.isReplayed && result) return result;
    once.onReplay();
    return restoreResult(JSON.parse(stored.body) as StoredResult);
  } catch (error) {
    if (error instanceof Refused) return error.result;
    throw graphqlError(toServiceError(error));
  }
}

function storable({ data, errors = [] }: GraphqlResult, format: ErrorFormatter): StoredResult {
  return { data: data instanceof JsonText ? data.json : JSON.stringify(data ?? null), errors: errors.map(format) };
}

function restoreResult({ data, errors }: StoredResult): GraphqlResult {
  const restored = errors.map(({ message, ...rest }) => new GraphQLError(message, rest as object));
  return { data: new JsonText(data), ...(restored.length > 0 && { errors: restored }) };
}
