// The functions of the schema's scalars, whose names and descriptions are in schema/base.graphql. The scalar JSON needs none:
// without functions of its own it takes and returns any value.
import { GraphQLError, Kind, valueFromASTUntyped, type GraphQLScalarType } from 'graphql';

type ScalarFunctions<Internal, External> = Pick<
  GraphQLScalarType<Internal, External>,
  'serialize' | 'parseValue' | 'parseLiteral'
>;

/**
 * Writes ISO 8601 in UTC with milliseconds. Reads any text: whether it is a time is checked together with REST's inputs, so
 * that REST and GraphQL refuse it by the same message.
 */
export const dateTimeScalar: ScalarFunctions<string, string> = {
  serialize: (value) => {
    if (value instanceof Date) return value.toISOString();
    // An entry's times come from the database as text, and are in this form already (src/entries/row.ts).
    if (typeof value === 'string') return value;
    throw new TypeError('A resolver must return a Date or its text for a DateTime.');
  },
  parseValue: assertText,
  parseLiteral: (node) => assertText(node.kind === Kind.STRING ? node.value : null),
};

export const jsonObjectScalar: ScalarFunctions<object, object> = {
  serialize: assertObject,
  parseValue: assertObject,
  parseLiteral: (node, variables) => assertObject(valueFromASTUntyped(node, variables)),
};

function assertText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('A DateTime is a string: an ISO 8601 time with a zone.');
}

function assertObject(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  throw new GraphQLError(`A JSONObject is an object, not ${found}.`);
}
