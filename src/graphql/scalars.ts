// The functions of the schema's scalars, whose names and descriptions are in schema/base.graphql.
import { GraphQLError, Kind, valueFromASTUntyped, type GraphQLScalarType, type ValueNode } from 'graphql';
import { readNumber } from '../inputs/json.ts';

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

/** Takes and returns any value. */
export const jsonScalar: Pick<ScalarFunctions<unknown, unknown>, 'parseLiteral'> = { parseLiteral: readLiteral };

export const jsonObjectScalar: ScalarFunctions<object, object> = {
  serialize: assertObject,
  parseValue: assertObject,
  parseLiteral: (node, variables) => assertObject(readLiteral(node, variables)),
};

/** The value of a literal. Numbers are read as those of JSON are, in which JavaScript's limits show. */
function readLiteral(node: ValueNode, variables?: Readonly<Record<string, unknown>> | null): unknown {
  if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return readNumber(node.value);
  if (node.kind === Kind.LIST) return node.values.map((item) => readLiteral(item, variables));
  if (node.kind !== Kind.OBJECT) return valueFromASTUntyped(node, variables);
  return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, readLiteral(value, variables)]));
}

function assertText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('A DateTime is a string: an ISO 8601 time with a zone.');
}

function assertObject(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  throw new GraphQLError(`A JSONObject is an object, not ${found}.`);
}
