// Parses and validates a document (GraphQL §5), within bounds: what takes longer than the size of the document lets expect is refused.
import {
  GraphQLError,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import type { GraphqlLimits } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { graphqlError, moreErrors, toldErrors, tooComplex } from './errors.ts';
import { mergedFieldsRule } from './mergedFields.ts';

const rules = [...specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule), mergedFieldsRule];

/** A valid document, or the errors for which it is refused. */
export type ReadDocument = { readonly document: DocumentNode } | { readonly refused: readonly GraphQLError[] };

/** Parses and validates a document. */
export function readDocument(text: string, schema: GraphQLSchema, limits: Pick<GraphqlLimits, 'tokens'>): ReadDocument {
  try {
    const document = parse(text, { maxTokens: limits.tokens });
    const errors = validate(schema, document, rules, toldErrors);
    return errors.length === 0 ? { document } : { refused: errors.map(explain) };
  } catch (error) {
    if (error instanceof ServiceError) return { refused: [graphqlError(error)] };
    if (error instanceof GraphQLError) return { refused: [explainSyntax(error, limits)] };
    throw error;
  }
}

/** The error of a document that cannot be parsed. */
function explainSyntax(error: GraphQLError, { tokens }: Pick<GraphqlLimits, 'tokens'>): GraphQLError {
  // graphql-js 16 misspells this message ("that" for "than").
  if (/Document contains more tha[nt] \d+ tokens/.test(error.message))
    return graphqlError(tooComplex('tokens', tokens));
  return withCode(error, 'GRAPHQL_PARSE_FAILED');
}

/** The error of a document that is not valid. Where graphql-js gives up, its own words do not say why. */
function explain(error: GraphQLError): GraphQLError {
  if (error.message === 'Validation aborted.') {
    const detail =
      'The query is too complex: its operations spread so many fragments and use so many variables that it takes too long to ' +
      'validate it. Send fewer operations in one document, or spread fewer fragments.';
    return graphqlError(new ServiceError('query_too_complex', { detail }));
  }
  return withCode(
    error.message.includes('error limit reached') ? moreErrors('document') : error,
    'GRAPHQL_VALIDATION_FAILED',
  );
}

function withCode(error: GraphQLError, code: string): GraphQLError {
  const { message, nodes = null, source = null, positions = null } = error;
  return new GraphQLError(message, { nodes, source, positions, extensions: { code, http: { status: 400 } } });
}
