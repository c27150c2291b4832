// Changes of the fields, arguments and literals of a GraphQL document, made with the schema at hand: what they make is
// often one that the schema takes.
import {
  Kind,
  TypeInfo,
  getNamedType,
  isCompositeType,
  isInputObjectType,
  parseValue,
  visit,
  visitWithTypeInfo,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type SelectionNode,
  type ValueNode,
} from 'graphql';
import type { Random } from '../../support/random.ts';
import { changeOne, inSets, name, schema, type TreeChange } from './tree.ts';
import { fitting, literals, strange } from './values.graphql.ts';

const aliased = (field: SelectionNode, alias: string): SelectionNode =>
  field.kind === Kind.FIELD ? { ...field, alias: name(alias) } : field;

const alias: TreeChange = (document, random) =>
  inSets(document, random, (selections) => [
    ...selections,
    ...Array.from({ length: random.pick([1, 2, 10]) }, (_, index) =>
      aliased(random.pick(selections), random.chance(0.2) ? random.pick(strange) : `a${index}`),
    ),
  ]);
const duplicate: TreeChange = (document, random) => inSets(document, random, (all) => [...all, random.pick(all)]);
const drop: TreeChange = (document, random) => changeOne<FieldNode>(document, [Kind.FIELD], random, () => null);
const clash: TreeChange = (document, random) =>
  inSets(document, random, (all) => [...all, aliased(random.pick(all), 'same'), aliased(random.pick(all), 'same')]);
const rename: TreeChange = (document, random) =>
  changeOne<FieldNode>(document, [Kind.FIELD], random, (node) => ({ ...node, name: name(random.pick(strange)) }));

/** Another field of the same type, with its arguments and all that lies below it, some levels down. */
const widen: TreeChange = (document, random) => {
  const info = new TypeInfo(schema);
  let left = random.upTo(3);
  return visit(
    document,
    visitWithTypeInfo(info, {
      SelectionSet: (node) => {
        const type = info.getParentType();
        if (!type || !('getFields' in type)) return undefined;
        left -= 1;
        if (left !== -1) return undefined;
        const all = Object.values(type.getFields()) as GraphQLField<unknown, unknown>[];
        return { ...node, selections: [...node.selections, fieldNode(random.pick(all), random, 2)] };
      },
    }),
  );
};

function fieldNode(field: GraphQLField<unknown, unknown>, random: Random, depth: number): FieldNode {
  const type = getNamedType(field.type);
  const below = isCompositeType(type) && 'getFields' in type ? Object.values(type.getFields()) : [];
  const inner = below.filter((each) => depth > 0 || !isCompositeType(getNamedType(each.type)));
  const selections = inner.filter(() => random.chance(0.6)).map((each) => fieldNode(each, random, depth - 1));
  const given = field.args.filter((argument) => argument.type.toString().endsWith('!') || random.chance(0.3));
  return {
    kind: Kind.FIELD,
    name: name(field.name),
    arguments: given.map((argument) => ({
      kind: Kind.ARGUMENT,
      name: name(argument.name),
      value: valueFor(argument.type, random),
    })),
    ...(below.length > 0 && {
      selectionSet: {
        kind: Kind.SELECTION_SET,
        selections: selections.length > 0 ? selections : [{ kind: Kind.FIELD, name: name('__typename') }],
      },
    }),
  };
}

/** A value that fits a type more often than not. */
function valueFor(type: GraphQLInputType, random: Random): ValueNode {
  const named = getNamedType(type);
  if (isInputObjectType(named) && random.chance(0.8)) {
    const given = Object.values(named.getFields()).filter(
      (field) => field.type.toString().endsWith('!') || random.chance(0.3),
    );
    return {
      kind: Kind.OBJECT,
      fields: given
        .slice(0, 5)
        .map((field) => ({ kind: Kind.OBJECT_FIELD, name: name(field.name), value: valueFor(field.type, random) })),
    };
  }
  return parseValue(random.pick(random.chance(0.7) ? (fitting[named.name] ?? literals) : literals));
}

const argument: TreeChange = (document, random) =>
  changeOne<FieldNode>(document, [Kind.FIELD], random, (node) => {
    const all = node.arguments ?? [];
    const added = {
      kind: Kind.ARGUMENT,
      name: name(random.pick(['id', 'useAcl', 'first', 'sort', ...strange])),
      value: parseValue(random.pick(literals)),
    } as const;
    return { ...node, arguments: random.pick([all.slice(1), [...all, ...all.slice(0, 1)], [...all, added], []]) };
  });
const literal: TreeChange = (document, random) =>
  changeOne(
    document,
    [Kind.STRING, Kind.INT, Kind.BOOLEAN, Kind.NULL, Kind.ENUM, Kind.OBJECT, Kind.LIST, Kind.VARIABLE],
    random,
    () => parseValue(random.pick(literals)),
  );

/** Each as often as it is to come up. */
export const fieldChanges: readonly TreeChange[] = [
  ...[alias, duplicate, drop, clash, rename, widen, widen, widen, argument, argument, literal, literal, literal],
];
