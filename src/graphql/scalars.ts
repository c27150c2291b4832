// The schema's scalars, for makeExecutableSchema: their names and descriptions stand in schema/base.graphql. JSON needs
// nothing: a scalar without functions of its own takes and gives any value.
import { GraphQLError, Kind, valueFromASTUntyped, type GraphQLScalarType } from 'graphql';

type ScalarFunctions<Internal, External> = Pick<
  GraphQLScalarType<Internal, External>,
  'serialize' | 'parseValue' | 'parseLiteral'
>;

/**
 * Gives ISO 8601 in UTC with milliseconds. Takes any text: whether it is a time is checked together with REST's inputs, so
 * that both doors refuse it in the same words.
 */
export const dateTimeScalar: ScalarFunctions<string, string> = {
  serialize: (value) => {
    if (value instanceof Date) return value.toISOString();
    throw new TypeError('A DateTime is a Date.');
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
