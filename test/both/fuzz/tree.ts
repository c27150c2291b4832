// Means for changing a GraphQL document's tree.
import { Kind, visit, type ASTNode, type DocumentNode, type SelectionNode, type SelectionSetNode } from 'graphql';
import { resolvers } from '../../../src/features.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import type { Random } from '../../support/random.ts';

export type TreeChange = (document: DocumentNode, random: Random) => DocumentNode;

export const schema = createSchema(resolvers);

export const name = (value: string) => ({ kind: Kind.NAME, value }) as const;

/** Changes one node of some kinds, whichever it is. A null removes it. */
export function changeOne<Node extends ASTNode>(
  document: DocumentNode,
  kinds: readonly Node['kind'][],
  random: Random,
  change: (node: Node) => ASTNode | null,
): DocumentNode {
  let count = 0;
  const isKind = (node: ASTNode): node is Node => (kinds as readonly string[]).includes(node.kind);
  visit(document, { enter: (node) => void (count += isKind(node) ? 1 : 0) });
  let left = random.upTo(Math.max(0, count - 1));
  return visit(document, {
    enter: (node) => {
      if (!isKind(node)) return undefined;
      left -= 1;
      return left === -1 ? change(node) : undefined;
    },
  });
}

/** Changes what is selected somewhere. */
export function inSets(
  document: DocumentNode,
  random: Random,
  change: (selections: readonly SelectionNode[]) => SelectionNode[],
): DocumentNode {
  return changeOne<SelectionSetNode>(document, [Kind.SELECTION_SET], random, (node) => ({
    ...node,
    // Where all was dropped there is nothing to change.
    selections: node.selections.length === 0 ? [] : change(node.selections),
  }));
}
