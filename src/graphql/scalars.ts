// DateTime: ISO 8601 in UTC with milliseconds on output; on input any text passes here, so that it is checked where
// REST's is, and refused in the same words.
import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

export const dateTime = new GraphQLScalarType<string | Date, string>({
  name: 'DateTime',
  serialize: (value) => {
    if (value instanceof Date) return value.toISOString();
    throw new TypeError('A DateTime is a Date.');
  },
  parseValue: asText,
  parseLiteral: (node) => asText(node.kind === Kind.STRING ? node.value : null),
});

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('A DateTime is a string: an ISO 8601 time with a zone.');
}
