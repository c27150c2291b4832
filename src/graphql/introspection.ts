// Finds out whether a GraphQL document asks for the schema.
import { BREAK, visit, type DocumentNode } from 'graphql';

/** The result for each document, so that a document is searched only once. */
const introspecting = new WeakMap<DocumentNode, boolean>();

/** Whether a document asks for a part of the schema. */
export function introspects(document: DocumentNode): boolean {
  const known = introspecting.get(document);
  if (known !== undefined) return known;
  let found = false;
  visit(document, {
    Field: ({ name: { value } }) => {
      if (value === '__schema' || value === '__type') found = true;
      return found ? BREAK : undefined;
    },
  });
  introspecting.set(document, found);
  return found;
}
