// Limits the conditions of an operation on the schema of a site. graphql-js visits every member of a type for each
// object that is sent, and an operation's own limits come after that: many empty conditions would take seconds.
import {
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  typeFromAST,
  type GraphQLInputType,
  type OperationDefinitionNode,
} from 'graphql';
import { ServiceError } from '../base/errors.ts';
import { isObject } from '../inputs/json.ts';
import { graphqlError } from './errors.ts';
import type { LazySchema } from './lazySchema.ts';

/** The greatest number of objects in the conditions of an operation's variables together and, below, in one list. */
const maxConditions = 2_000;

/** A part of the `extensions` of the inputs of conditions: only these are counted. */
export const conditionInput = { extensions: { isCondition: true } } as const;

export class ConditionCount {
  #left = maxConditions;

  /** Takes conditions. @throws query_too_complex if there are too many */
  take(count: number): void {
    this.#left -= count;
    if (this.#left >= 0) return;
    const detail = `The conditions hold more than ${maxConditions} objects. Send fewer at a time.`;
    throw new ServiceError('query_too_complex', { detail });
  }
}

/** Refuses variables that hold too many conditions, before they are read by their types. @throws GraphQLError */
export function refuseManyConditions(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  schema: LazySchema,
): void {
  const count = new ConditionCount();
  try {
    for (const { variable, type } of variableDefinitions) {
      const found = typeFromAST(schema, type);
      const { value: name } = variable.name;
      if (isInputType(found) && Object.hasOwn(variables, name)) countConditions(variables[name], found, count);
    }
  } catch (error) {
    throw error instanceof ServiceError ? graphqlError(error) : error;
  }
}

/** Counts the conditions of a value, which may not fit its type. It nests as deep as a body may. */
function countConditions(value: unknown, type: GraphQLInputType, count: ConditionCount): void {
  const expected = getNullableType(type);
  if (isListType(expected)) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const item of items) countConditions(item, expected.ofType, count);
    return;
  }
  if (!isInputObjectType(expected) || expected.extensions['isCondition'] !== true || !isObject(value)) return;
  count.take(1);
  const fields = expected.getFields();
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field) countConditions(member, field.type, count);
  }
}
