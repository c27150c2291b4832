// Parses and validates a document (GraphQL §5), within bounds: a document that would take long for its size is refused.
import {
  GraphQLError,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import type { GraphqlLimits } from '../config/config.ts';
import { ServiceError } from '../base/errors.ts';
import { graphqlError, moreErrors, errorReporting, tooComplex } from './errors.ts';
import { mergedFieldsRule } from './executor/mergedFields.ts';

const rules = [...specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule), mergedFieldsRule];

/** A valid document, or the errors for which it is refused. */
export type ReadDocument = { readonly document: DocumentNode } | { readonly refused: readonly GraphQLError[] };

/** Parses and validates a document. */
export function readDocument(text: string, schema: GraphQLSchema, limits: Pick<GraphqlLimits, 'tokens'>): ReadDocument {
  let document: DocumentNode;
  try {
    document = parse(text, { maxTokens: limits.tokens });
  } catch (error) {
    return { refused: [explainSyntax(error, limits)] };
  }
  try {
    const errors = validate(schema, document, rules, errorReporting);
    return errors.length === 0 ? { document } : { refused: errors.map(explain) };
  } catch (error) {
    return { refused: [explainThrown(error)] };
  }
}

/** The error of an unparsable document. */
function explainSyntax(error: unknown, { tokens }: Pick<GraphqlLimits, 'tokens'>): GraphQLError {
  if (!(error instanceof GraphQLError)) throw error;
  // graphql-js 16 misspells this message ("that" for "than").
  if (/Document contains more tha[nt] \d+ tokens/.test(error.message))
    return graphqlError(tooComplex('tokens', tokens));
  return withCode(error, 'GRAPHQL_PARSE_FAILED');
}

/** The error of an invalid document. When graphql-js gives up, its own message does not give the reason. */
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

/** The error of a document on which a rule gave up. */
function explainThrown(error: unknown): GraphQLError {
  if (error instanceof ServiceError) return graphqlError(error);
  if (!(error instanceof GraphQLError)) throw error;
  // The rule that a subscription has one field executes the directives at its top, without variables.
  const detail =
    'Which field a subscription has must not depend on variables: give @skip and @include at its top true or false, or leave them out.';
  return withCode(new GraphQLError(detail, { nodes: error.nodes ?? null }), 'GRAPHQL_VALIDATION_FAILED');
}

function withCode(error: GraphQLError, code: string): GraphQLError {
  const { message, nodes = null, source = null, positions = null } = error;
  return new GraphQLError(message, { nodes, source, positions, extensions: { code, http: { status: 400 } } });
}
