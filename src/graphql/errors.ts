// Refusals as GraphQL errors (docs/contract.md §7): code, field errors, request id; with an HTTP status before execution.
import { AsyncLocalStorage } from 'node:async_hooks';
import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { GraphqlLimits } from '../config.ts';
import { errorTable, ServiceError } from '../errors.ts';
import { redactTokensIn } from '../redaction.ts';
import { toServiceError } from '../http/fault.ts';

/** The id of the request that is being answered: every error carries it, those too that know no context. */
export const currentRequestId = new AsyncLocalStorage<string>();

/** A refusal as a GraphQL error; with the HTTP status where it comes before execution. */
export function graphqlError(refusal: ServiceError): GraphQLError {
  return new GraphQLError(refusal.detail, {
    extensions: {
      ...extensionsOf(refusal),
      http: { status: refusal.status, headers: new Map(Object.entries(refusal.headers)) },
    },
  });
}

function extensionsOf({ code, errors }: ServiceError): Record<string, unknown> {
  return { code: errorTable[code].graphql, ...(errors && { errors }), requestId: currentRequestId.getStore() };
}

/** Apollo's own words on a request that is no valid GraphQL pass; whatever a resolver threw is said as a refusal. */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
  { production, limits }: { production: boolean; limits: GraphqlLimits },
): GraphQLFormattedError {
  const original = translated(unwrapResolverError(error), limits);
  if (original instanceof GraphQLError && !isFault(original, formatted)) {
    const { extensions, ...rest } = withoutSuggestions(formatted, production);
    // Without a code Apollo takes an error for a fault of the server's: here it is what the request asks for.
    const code = original.extensions['code'] ?? (formatted.path ? 'BAD_USER_INPUT' : 'BAD_REQUEST');
    return redactTokensIn({ ...rest, extensions: { ...extensions, code, requestId: currentRequestId.getStore() } });
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
 * Whether an error of GraphQL is a fault of ours: a result that does not fit its type, which no request can help. It has
 * no nodes yet.
 * @param error with the path of the field, where it is about one
 */
export function isFault({ nodes, extensions }: GraphQLError, { path }: { readonly path?: unknown }): boolean {
  return path !== undefined && nodes === undefined && extensions['code'] === undefined;
}

/** Errors of variables suggest names of the schema, which Apollo's own option does not hide. */
function withoutSuggestions(error: GraphQLFormattedError, production: boolean): GraphQLFormattedError {
  return production ? { ...error, message: error.message.replace(/ Did you mean .*\?$/s, '') } : error;
}

/** The parser's own limit, said as the others are; other errors stay what they are. */
function translated(error: unknown, { tokens }: GraphqlLimits): unknown {
  // The words of graphql 16, slip included.
  const isTooLong = error instanceof GraphQLError && /Document contains more tha[nt] \d+ tokens/.test(error.message);
  return isTooLong ? tooComplex('tokens', tokens) : error;
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
 * The refusal of a document or an operation that asks for too much.
 * @param value how much it is, where that is known
 */
export function tooComplex(what: keyof GraphqlLimits, limit: number, value?: number): ServiceError {
  const is = value === undefined ? 'more' : String(value);
  return new ServiceError('query_too_complex', {
    detail: `The query is too complex: ${is} ${nouns[what]}, where ${limit} are allowed.`,
  });
}
