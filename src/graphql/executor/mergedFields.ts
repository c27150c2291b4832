// The validation rule that fields with the same name in the response can be merged (GraphQL §5.3.2), in place of that
// of graphql-js, which compares each field with each other: a hundred milliseconds for a document of 16 kB. Here the
// fields of a name are grouped by their parents, and each is compared with the first of its group; the selections below
// a group are checked as one selection. Its verdict is that of graphql-js (test/pure/unit/mergedFields.test.ts).
import {
  getNamedType,
  GraphQLError,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  print,
  typeFromAST,
  type ASTVisitor,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type SelectionSetNode,
  type ValidationContext,
  type ValueNode,
} from 'graphql';
import { ServiceError } from '../../base/errors.ts';

/**
 * The number of selections that are checked; those of a fragment count as often as it is spread. The largest document
 * has about half as many.
 */
const maxVisited = 20_000;

type ParentType = GraphQLNamedType | null | undefined;

/** A selected field. */
interface Selected {
  readonly node: FieldNode;
  readonly parent: ParentType;
  /** undefined if there is no such field, which another rule reports. */
  readonly type: GraphQLOutputType | undefined;
}

/** Selections that belong to one object of the response. */
interface Merged {
  readonly sets: readonly { readonly set: SelectionSetNode; readonly parent: ParentType }[];
  /** Whether only their types have to fit: they belong to objects that are never the same. */
  readonly isShapeOnly: boolean;
}

/**
 * The rule, as graphql-js' `validate` takes it.
 * @throws ServiceError query_too_complex if fragments are spread so often that the check would take long
 */
export function mergedFieldsRule(context: ValidationContext): ASTVisitor {
  // One check for all operations: each uses the results of earlier ones.
  const check = new MergeCheck(context);
  return {
    OperationDefinition: ({ operation, selectionSet }) => {
      const parent = context.getSchema().getRootType(operation);
      check.run({ sets: [{ set: selectionSet, parent }], isShapeOnly: false });
    },
  };
}

class MergeCheck {
  readonly #context: ValidationContext;
  #visited = 0;
  /** A number for each selection set, by which it is recognized. */
  readonly #numbers = new Map<SelectionSetNode, number>();
  readonly #seen = new Set<string>();
  /** In place of recursion: a document can be nested thousands of levels deep. */
  readonly #pending: Merged[] = [];
  readonly #printed = new Map<FieldNode, string>();

  constructor(context: ValidationContext) {
    this.#context = context;
  }

  run(merged: Merged): void {
    this.#pending.push(merged);
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) this.#checkMerged(next);
  }

  #checkMerged({ sets, isShapeOnly }: Merged): void {
    const byName = new Map<string, Selected[]>();
    const spread = new Set<string>();
    for (const { set, parent } of sets) this.#collect(set, parent, byName, spread);
    for (const fields of byName.values()) {
      const groups = isShapeOnly ? [] : groupByParent(fields);
      for (const group of groups.slice(1)) this.#count(group.length);
      if (!groups.every((group) => this.#agree(group, findDifference))) continue;
      // Fields that were compared with each other need no second comparison.
      const isOneGroup = groups[0]?.length === fields.length;
      // The first one with a type is compared with the others: `__typename` has none here.
      const typed = fields.filter(({ type }) => type);
      if (!this.#agree(typed, findConflictingTypes)) continue;
      for (const group of groups) this.#add(group, false);
      if (!isOneGroup) this.#add(fields, true);
    }
  }

  /** Collects the fields of a selection set by their names in the response. */
  #collect(
    { selections }: SelectionSetNode,
    parent: ParentType,
    byName: Map<string, Selected[]>,
    spread: Set<string>,
  ): void {
    this.#count(selections.length);
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const selected = { node, parent, type: fieldType(parent, node) };
        const known = byName.get(key);
        if (known) known.push(selected);
        else byName.set(key, [selected]);
        continue;
      }
      const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : this.#fragment(node.name.value, spread);
      if (fragment === null) continue;
      const { typeCondition, selectionSet } = fragment;
      const type = typeCondition ? typeFromAST(this.#context.getSchema(), typeCondition) : parent;
      this.#collect(selectionSet, type, byName, spread);
    }
  }

  /** A fragment that is spread; null if it was spread in the same place before, or there is none of the name. */
  #fragment(name: string, spread: Set<string>): FragmentDefinitionNode | null {
    if (spread.has(name)) return null;
    spread.add(name);
    return this.#context.getFragment(name) ?? null;
  }

  /** Compares fields with the first one, and reports the first that differs. */
  #agree(fields: readonly Selected[], find: FindDifference): boolean {
    const [first, ...others] = fields;
    if (first === undefined) return true;
    for (const other of others) {
      const reason = find(first, other, this.#print);
      if (reason === null) continue;
      const name = shorten((other.node.alias ?? other.node.name).value);
      this.#context.reportError(
        new GraphQLError(
          `Fields "${name}" conflict because ${reason}. Use different aliases on the fields to fetch both if this was intentional.`,
          { nodes: [first.node, other.node] },
        ),
      );
      return false;
    }
    return true;
  }

  /** The arguments of a field as text, in the order of their names. */
  readonly #print = (node: FieldNode): string => {
    const known = this.#printed.get(node);
    if (known !== undefined) return known;
    const given = [...(node.arguments ?? [])].sort((a, b) => (a.name.value < b.name.value ? -1 : 1));
    const text = given.map(({ name, value }) => `${name.value}: ${printValue(value)}`).join();
    this.#printed.set(node, text);
    return text;
  };

  /** Queues the selections below some fields to be checked, unless they were before. */
  #add(fields: readonly Selected[], isShapeOnly: boolean): void {
    const sets = fields.flatMap(({ node: { selectionSet }, type }) =>
      selectionSet ? [{ set: selectionSet, parent: type && getNamedType(type) }] : [],
    );
    if (sets.length === 0) return;
    const numbers = sets.map(({ set }) => this.#number(set)).sort((a, b) => a - b);
    const key = `${isShapeOnly} ${numbers.join()}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#pending.push({ sets, isShapeOnly });
  }

  #number(set: SelectionSetNode): number {
    const known = this.#numbers.get(set);
    if (known !== undefined) return known;
    this.#numbers.set(set, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  #count(selections: number): void {
    this.#visited += selections;
    if (this.#visited <= maxVisited) return;
    const detail =
      `The query is too complex: with its fragments spread it has more than ${maxVisited} selections. ` +
      'Spread fewer fragments, or select less in them.';
    throw new ServiceError('query_too_complex', { detail });
  }
}

/** Finds the difference of two fields that are merged. @returns null for none */
type FindDifference = (first: Selected, other: Selected, printArguments: (node: FieldNode) => string) => string | null;

const findDifference: FindDifference = ({ node: first }, { node: other }, printArguments) => {
  const [name, otherName] = [first.name.value, other.name.value];
  if (name !== otherName) return `"${shorten(name)}" and "${shorten(otherName)}" are different fields`;
  return printArguments(first) === printArguments(other) ? null : 'they have differing arguments';
};

const findConflictingTypes: FindDifference = ({ type }, { type: other }) => {
  if (!type || !other || canBeOne(type, other)) return null;
  return `they return conflicting types "${String(type)}" and "${String(other)}"`;
};

/** Whether values of two types fit the same position in the response (GraphQL §5.3.2, SameResponseShape). */
function canBeOne(first: GraphQLOutputType, other: GraphQLOutputType): boolean {
  if (isListType(first) || isListType(other)) {
    return isListType(first) && isListType(other) && canBeOne(first.ofType, other.ofType);
  }
  if (isNonNullType(first) || isNonNullType(other)) {
    return isNonNullType(first) && isNonNullType(other) && canBeOne(first.ofType, other.ofType);
  }
  return isLeafType(first) || isLeafType(other) ? first === other : true;
}

/**
 * Groups fields that may belong to one object: those of each object type, each with the fields whose parents are no
 * object types.
 */
function groupByParent(fields: readonly Selected[]): Selected[][] {
  const byParent = new Map<GraphQLNamedType, Selected[]>();
  const ofAny: Selected[] = [];
  for (const field of fields) {
    const { parent } = field;
    if (!isObjectType(parent)) ofAny.push(field);
    else if (!byParent.get(parent)?.push(field)) byParent.set(parent, [field]);
  }
  if (byParent.size === 0) return [ofAny];
  return [...byParent.values()].map((group) => [...ofAny, ...group]);
}

function fieldType(parent: ParentType, { name: { value } }: FieldNode): GraphQLOutputType | undefined {
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[value]?.type : undefined;
}

/** A value as text, with the members of objects in the order of their names: in another order they are the same. */
function printValue(value: ValueNode): string {
  if (value.kind === Kind.LIST) return `[${value.values.map(printValue).join()}]`;
  if (value.kind !== Kind.OBJECT) return print(value);
  const members = value.fields.map((field) => `${field.name.value}: ${printValue(field.value)}`);
  return `{${members.sort().join()}}`;
}

/** The number of a name's characters that an error quotes. */
const maxName = 100;

function shorten(name: string): string {
  return name.length > maxName ? `${name.slice(0, maxName)}…` : name;
}
