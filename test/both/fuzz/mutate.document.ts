// Changes of a GraphQL document as a whole: its directives, fragments, variables and operations.
import {
  Kind,
  parse,
  type ConstDirectiveNode,
  type DirectiveNode,
  type FieldNode,
  type OperationDefinitionNode,
} from 'graphql';
import { changeOne, inSets, name, type TreeChange } from './tree.ts';
import { declarations, definitions, directives, fragments, types } from './values.graphql.ts';

const directive: TreeChange = (document, random) => {
  const parsed = parse(`{ x ${random.pick(directives)} }`).definitions[0] as OperationDefinitionNode;
  const added = (parsed.selectionSet.selections[0]?.directives ?? []) as DirectiveNode[];
  const kinds = [
    Kind.FIELD,
    Kind.FIELD,
    Kind.OPERATION_DEFINITION,
    Kind.FRAGMENT_SPREAD,
    Kind.VARIABLE_DEFINITION,
  ] as const;
  return changeOne<FieldNode>(document, [random.pick(kinds)] as [Kind.FIELD], random, (node) => ({
    ...node,
    directives: [...(node.directives ?? []), ...(added as ConstDirectiveNode[])],
  }));
};

const inline: TreeChange = (document, random) =>
  inSets(document, random, (selections) => [
    {
      kind: Kind.INLINE_FRAGMENT,
      ...(random.chance(0.7) && { typeCondition: { kind: Kind.NAMED_TYPE, name: name(random.pick(types)) } }),
      selectionSet: { kind: Kind.SELECTION_SET, selections },
    },
  ]);

const fragment: TreeChange = (document, random) => {
  const on = random.pick(types);
  const added = parse(random.pick(fragments(on)), { noLocation: true });
  const spread = inSets(document, random, (selections) => [
    ...selections,
    { kind: Kind.FRAGMENT_SPREAD, name: name('F') },
  ]);
  return { ...spread, definitions: [...spread.definitions, ...added.definitions] };
};

const declaration: TreeChange = (document, random) =>
  changeOne<OperationDefinitionNode>(document, [Kind.OPERATION_DEFINITION], random, (node) => {
    const text = random.pick(declarations);
    const parsed = parse(`query (${text}) { x }`, { noLocation: true }).definitions[0] as OperationDefinitionNode;
    const all = node.variableDefinitions ?? [];
    const added = parsed.variableDefinitions ?? [];
    return {
      ...node,
      variableDefinitions: random.pick([
        [...added, ...all.slice(1)],
        [...all, ...added],
        all.slice(1),
        [...all, ...all],
      ]),
    };
  });

const operation: TreeChange = (document, random) => {
  const others = parse(random.pick(definitions), { noLocation: true }).definitions;
  return { ...document, definitions: random.chance(0.7) ? [...document.definitions, ...others] : others };
};

/** Each as often as it is to come up. */
export const documentChanges: readonly TreeChange[] = [directive, inline, fragment, declaration, operation];
