// The one operation of a document, as the executor takes it.
import { getOperationAST, type DocumentNode, type OperationDefinitionNode } from 'graphql';

/** @throws Error if the document has none, or several */
export function operationOf(document: DocumentNode): OperationDefinitionNode {
  const operation = getOperationAST(document);
  if (!operation) throw new Error('The document does not have exactly one operation.');
  return operation;
}
