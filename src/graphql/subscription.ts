// Subscriptions (docs/contract.md §9.2): graphql-js makes the stream of pages, and each change of a page is executed as an
// operation of its own, with the page's context.
import {
  createSourceEventStream,
  getVariableValues,
  GraphQLError,
  type DocumentNode,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { ChangesArguments } from '../inputs/changes.ts';
import type { Context } from '../context.ts';
import { maxSilence } from '../http/eventStream.ts';
import { followChanges, findStreamStart, streamLimit, type FollowedPage } from '../resolvers/changes/follow.ts';
import { toldErrors } from './errors.ts';
import { execute, libraryOptions, stringifyResult, type GraphqlResult } from './execute.ts';
import { planOperation } from './plan.ts';

/** A subscription of a valid document. */
export interface Subscribing {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly context: Context;
}

/** The results of a subscription, each as JSON; null: a sign that it lives. */
export type SubscriptionResults = AsyncIterable<string | null>;

/**
 * Begins a subscription.
 * @param format makes of an error what the response has of it
 * @returns its results; or the one result with the errors that refuse it
 */
export async function subscribe(
  subscribing: Subscribing,
  format: (error: GraphQLError) => GraphQLFormattedError,
): Promise<{ results: SubscriptionResults } | { refused: GraphqlResult }> {
  const { schema, document, operationName = null, variables = {}, context } = subscribing;
  const refusal = refuseWithoutField(subscribing);
  if (refusal) return { refused: { errors: [refusal], data: null } };
  const source = await createSourceEventStream({
    ...{ schema, document, operationName },
    ...{ variableValues: variables, contextValue: context, ...libraryOptions },
  });
  if (!(Symbol.asyncIterator in source)) return { refused: { ...source, data: null } };
  return { results: writePages(source as AsyncIterable<FollowedPage>, subscribing, format) };
}

/** The refusal of a subscription whose directives leave out its field, for which graphql-js has no error; null: there is a field. */
function refuseWithoutField({ schema, document, operation, variables = {} }: Subscribing): GraphQLError | null {
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, toldErrors);
  // Variables that are wrong are refused by graphql-js.
  if (coerced === undefined) return null;
  try {
    if (planOperation(schema, document, operation, coerced).length > 0) return null;
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
  const detail = 'A subscription follows one field, and @skip or @include leaves out the one of this document.';
  return new GraphQLError(detail, { nodes: operation, extensions: { code: 'BAD_USER_INPUT' } });
}

async function* writePages(
  pages: AsyncIterable<FollowedPage>,
  subscribing: Subscribing,
  format: (error: GraphQLError) => GraphQLFormattedError,
): AsyncGenerator<string | null> {
  for await (const { page, context } of pages) {
    if (page.changes.length === 0) yield null;
    const results = page.changes.map((rootValue) => execute({ ...subscribing, context, rootValue }));
    for (const { errors = [], data } of await Promise.all(results)) {
      yield stringifyResult({ ...(errors.length > 0 && { errors: errors.map(format) }), data });
    }
  }
}

/** The source of the field `changes`. @throws what its first look throws; rate_limited, unavailable as `holdOpen` */
export async function subscribeToChanges(
  _parent: unknown,
  args: ChangesArguments,
  context: Context,
): Promise<AsyncIterable<FollowedPage>> {
  const after = await findStreamStart(args, context);
  // Entries may be selected: a page has as few as if they were.
  return followChanges({
    args: { ...args, after, limit: streamLimit(true) },
    ...{ context, held: context.holdOpen(), quiet: maxSilence, write: (followed) => followed },
  });
}
