// The functions of the schema's scalars, whose names and descriptions are in schema/base.graphql, and the writers of
// their values in JSON.
import {
  GraphQLError,
  isEnumType,
  Kind,
  valueFromASTUntyped,
  type GraphQLLeafType,
  type GraphQLScalarType,
  type ValueNode,
} from 'graphql';
import { readNumber } from '../inputs/json.ts';
import { ShownFields } from '../serializers/shownFields.ts';

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

/**
 * The value of a literal; undefined for a variable that is absent. As in input objects and lists of the schema, a
 * member whose variable is absent is absent, and an item is null (GraphQL §2.9, §3.10, §3.11). Numbers are read as
 * those of JSON are, in which JavaScript's limits show.
 */
function readLiteral(node: ValueNode, variables?: Readonly<Record<string, unknown>> | null): unknown {
  if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return readNumber(node.value);
  if (node.kind === Kind.LIST) return node.values.map((item) => readLiteral(item, variables) ?? null);
  if (node.kind !== Kind.OBJECT) return valueFromASTUntyped(node, variables);
  const members = node.fields.map(({ name, value }) => [name.value, readLiteral(value, variables)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
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

/** Writes a value of a type in JSON. @throws Error if the value is not one of the type */
export type WriteLeaf = (value: unknown) => string;

/** The scalars that give back a text as it is. */
const textTypes: ReadonlySet<string> = new Set(['DateTime', 'ID', 'String']);

/** Makes the writer of the values of a scalar or an enum. */
export function leafWriter(type: GraphQLLeafType): WriteLeaf {
  // The names of an enum's values have no character that JSON escapes.
  if (isEnumType(type)) return (value) => `"${String(type.serialize(value))}"`;
  const write: WriteLeaf = (value) => writeScalar(type, value);
  return textTypes.has(type.name) ? (value) => (typeof value === 'string' ? quoteText(value) : write(value)) : write;
}

function writeScalar(type: GraphQLScalarType, value: unknown): string {
  const serialized: unknown = type.serialize(value);
  if (serialized instanceof ShownFields) return serialized.json;
  if (serialized === null || serialized === undefined) {
    throw new Error(`The type ${type.name} must not serialize a value as ${String(serialized)}.`);
  }
  return JSON.stringify(serialized);
}

/** Matches the characters that JSON escapes: quotes, backslashes, control characters and halves of surrogate pairs. */
const isEscaped = /["\\\p{Cc}\ud800-\udfff]/u;

/** Writes a text in JSON. Searching it for characters to escape takes half of the time of `JSON.stringify`. */
function quoteText(text: string): string {
  return isEscaped.test(text) ? JSON.stringify(text) : `"${text}"`;
}
