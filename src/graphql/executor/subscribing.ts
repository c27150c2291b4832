// Subscriptions as the executor sees them. The feature with the stream provides the function
// (src/features/changes/subscription.ts).
import type {
  DocumentNode,
  GraphQLError,
  GraphQLFormattedError,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import type { GraphqlContext } from '../idempotency.ts';
import type { GraphqlResult } from './execute.ts';
import type { SubscriptionResults } from './results.ts';

/** A subscription of a valid document. */
export interface Subscribing {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly context: GraphqlContext;
}

/**
 * Begins a subscription.
 * @param format makes the response's error of an error
 * @returns its results; or the one result with the errors that refuse it
 */
export type Subscribe = (
  subscribing: Subscribing,
  format: (error: GraphQLError) => GraphQLFormattedError,
) => Promise<{ results: SubscriptionResults } | { refused: GraphqlResult }>;

/** The name of the event that has a result. */
export const resultEvent = 'next';
