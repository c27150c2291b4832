// Converts refusals to GraphQL errors (docs/contract.md §7), with a code and the errors of fields. A refusal before
// execution also has an HTTP status.
import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { GraphqlLimits } from '../config/config.ts';
import { errorTable, ServiceError } from '../base/errors.ts';
import { toServiceError } from '../http/fault.ts';
import { redactTokensIn } from '../base/redaction.ts';

/**
 * Bounds the reported errors of a document, or of its variables. Misspelt names get no suggestions: these would be
 * searched among all names of a schema, before the request has been admitted.
 */
export const errorReporting = { maxErrors: 5, hideSuggestions: true } as const;

/** Converts a refusal before execution to a GraphQL error, with the HTTP status and headers of the response. */
export function graphqlError(refusal: ServiceError): GraphQLError {
  return new GraphQLError(refusal.detail, {
    extensions: {
      ...extensionsOf(refusal),
      http: { status: refusal.status, headers: new Map(Object.entries(refusal.headers)) },
    },
  });
}

function extensionsOf({ code, errors, missing }: ServiceError): Record<string, unknown> {
  return { code: errorTable[code].graphql, ...(errors && { errors }), ...(missing !== undefined && { missing }) };
}

/**
 * Formats an error for the response, with tokens redacted. Errors of GraphQL itself, such as an invalid document, keep
 * their messages; errors that resolvers throw become refusals.
 */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = unwrapResolverError(error);
  if (original instanceof GraphQLError && !isFault(original, formatted)) {
    const { extensions, ...rest } = formatted;
    // Apollo would treat an error without a code as a fault of the server, but here the request is wrong.
    const code = original.extensions['code'] ?? (formatted.path ? 'BAD_USER_INPUT' : 'BAD_REQUEST');
    return redactTokensIn({ ...rest, extensions: { ...extensions, code } });
  }
  const refusal = toServiceError(original);
  const { locations, path } = formatted;
  return redactTokensIn({
    message: refusal.detail,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: extensionsOf(refusal),
  });
}

/**
 * Adds the request's id to all errors of a result. Errors are formatted without it.
 * @param result a result of Apollo Server, in JSON: its errors come first
 */
export function withRequestId(result: string, requestId: string): string {
  if (!result.startsWith('{"errors":')) return result;
  const { errors, ...rest } = JSON.parse(result) as { errors: GraphQLFormattedError[] };
  const named = errors.map((error) => ({ ...error, extensions: { ...error.extensions, requestId } }));
  return JSON.stringify({ errors: named, ...rest });
}

/**
 * Whether an error of GraphQL is a fault of the service: a resolver's result that does not fit its type. Such an error
 * has no nodes and no code, but belongs to a field.
 * @param error the reported error, with the path of its field, if it has one
 */
export function isFault({ nodes, extensions }: GraphQLError, { path }: { readonly path?: unknown }): boolean {
  return path !== undefined && nodes === undefined && extensions['code'] === undefined;
}

const nouns: Readonly<Record<keyof GraphqlLimits, string>> = {
  length: 'characters',
  tokens: 'lexical tokens',
  depth: 'levels of fields',
  aliases: 'aliases',
  rootFields: 'fields at its top',
  cost: 'fields to resolve, list sizes multiplied',
};

/**
 * The refusal of a document or an operation that exceeds a limit.
 * @param value the measured value of the document or operation, if it is known
 */
export function tooComplex(what: keyof GraphqlLimits, limit: number, value?: number): ServiceError {
  const found = value === undefined ? `more than ${limit}` : String(value);
  return new ServiceError('query_too_complex', {
    detail: `The query is too complex: it has ${found} ${nouns[what]}, and at most ${limit} are allowed.`,
  });
}

/** The last reported error of a document or its variables if there are more. */
export function moreErrors(what: 'document' | 'variables'): GraphQLError {
  const verb = what === 'document' ? 'has' : 'have';
  return new GraphQLError(
    `The ${what} ${verb} more errors than the ${errorReporting.maxErrors} above. Correct these, and the others are told.`,
  );
}
