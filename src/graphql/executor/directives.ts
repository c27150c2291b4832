// The directives @skip and @include: the selections that they leave out, by the values of the variables that they name.
import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  visit,
  type DirectiveNode,
  type DocumentNode,
  type SelectionNode,
} from 'graphql';

/** The values of an operation's variables, as graphql-js has coerced them. */
export type VariableValues = Readonly<Record<string, unknown>>;

/**
 * Decides whether a selection is executed: a skipped one is not, even if it is also included.
 * @throws GraphQLError if a variable that decides has no value, as that of graphql-js
 */
export function isIncluded(node: SelectionNode, variables: VariableValues): boolean {
  if (node.directives === undefined || node.directives.length === 0) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false;
}

const deciding = new WeakMap<DocumentNode, readonly string[]>();

/** The names of the variables that directives of a document name. */
function listDeciding(document: DocumentNode): readonly string[] {
  const known = deciding.get(document);
  if (known !== undefined) return known;
  const names = new Set<string>();
  visit(document, {
    Directive: ({ arguments: given = [] }: DirectiveNode) => {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  const listed = [...names];
  deciding.set(document, listed);
  return listed;
}

/**
 * Describes the values of the variables that directives of a document name: with equal descriptions the same selections
 * are left out.
 */
export function describeConditions(document: DocumentNode, variables: VariableValues): string {
  return listDeciding(document)
    .map((name) => (Object.hasOwn(variables, name) ? String(variables[name]) : 'absent'))
    .join();
}
