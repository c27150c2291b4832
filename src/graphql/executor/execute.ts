// Executes operations as graphql-js does, with the order and the errors of the specification, and writes the result as
// text at once: the values of an entry go from the database to the response without being parsed.
import {
  getVariableValues,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { moreErrors, errorReporting } from '../errors.ts';
import { planOperation, type PlannedField } from './plan.ts';
import { Run } from './run.ts';
import { JsonText, writeObject } from './write.ts';

/** `errorReporting` in the form that graphql-js takes when it executes an operation. */
export const libraryOptions = {
  options: { maxCoercionErrors: errorReporting.maxErrors },
  hideSuggestions: errorReporting.hideSuggestions,
} as const;

/** An operation of a valid document, with its variables as they were sent. */
export interface Execution {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly context: object;
  /** The object of the top-level fields: a subscription's event. */
  readonly rootValue?: unknown;
}

/** The errors, and the data: a JsonText, or null. */
export type GraphqlResult = Omit<ExecutionResult, 'data'> & { data?: object | null };

/** Executes an operation. */
export async function execute(execution: Execution): Promise<GraphqlResult> {
  const { schema, document, operation, variables = {}, context, rootValue } = execution;
  const values = getVariableValues(schema, operation.variableDefinitions ?? [], variables, errorReporting);
  if (values.errors) return { errors: values.errors.map(explain) };
  const run = new Run(schema, context, values.coerced);
  let data: JsonText | null = null;
  try {
    const plan = planOperation(schema, document, operation, values.coerced);
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    data = new JsonText(await (isMutation ? writeInTurn(plan, run) : writeObject(plan, rootValue, run, undefined)));
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    run.addError(error, undefined);
  }
  return run.errors.length > 0 ? { errors: run.errors, data } : { data };
}

/** The error of a variable. When graphql-js gives up, its own message does not say what is expected. */
function explain(error: GraphQLError): GraphQLError {
  return error.message.includes('error limit reached') ? moreErrors('variables') : error;
}

/** Writes the fields of a mutation one after another. */
async function writeInTurn(plan: readonly PlannedField[], run: Run): Promise<string> {
  let json = '';
  for (const field of plan) json += (await writeObject([field], undefined, run, undefined)).slice(1, -1);
  return `{${json}}`;
}

/** Writes a result of Apollo Server. */
export function stringifyResult({ data, ...rest }: { readonly data?: unknown }): string {
  if (!(data instanceof JsonText)) return `${JSON.stringify({ ...rest, data })}\n`;
  const json = JSON.stringify(rest);
  return `${json === '{}' ? '{' : `${json.slice(0, -1)},`}"data":${data.json}}\n`;
}
