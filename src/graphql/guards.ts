// What an operation must pass before it is executed. At each operation rather than as validation rules: valid documents
// are cached, and who asks, with which variables and how often, differs from one time to the next.
import type { ApolloServerPlugin } from '@apollo/server';
import {
  BREAK,
  GraphQLError,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type OperationDefinitionNode,
} from 'graphql';
import type { GraphqlLimits } from '../config.ts';
import type { Context } from '../context.ts';
import { mayIntrospect } from '../rules/callers.ts';
import { toServiceError } from '../http/fault.ts';
import { complexityOf, type Complexity } from './complexity.ts';
import { graphqlError, tooComplex } from './errors.ts';

interface GuardOptions {
  readonly production: boolean;
  readonly limits: GraphqlLimits;
}

/** Refuses introspection to public tokens in production, then what asks for too much, then what comes too often. */
export function guardOperations({ production, limits }: GuardOptions): ApolloServerPlugin<Context> {
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
