// Plans an operation: what its selections come to, with fragments spread and equal fields merged, which is the same for
// every object and every request (src/graphql/execute.ts runs it).
import {
  getArgumentValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  TypeNameMetaFieldDef,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type NamedTypeNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { leafWriter, type WriteLeaf } from './scalars.ts';

/**
 * Under this name a field's definition may have, among its `extensions`, what writes its value in JSON at once. It is used in
 * place of the resolver, which has to give the same value, and takes no arguments.
 */
export const writesJson = 'writesJson';

/** @throws Error, which becomes the field's */
export type WriteJson = (source: unknown, context: object) => string;

export type FieldArguments = Readonly<Record<string, unknown>>;

/** A field of the response, with what is selected below it. */
export interface PlannedField {
  /** Its name in the response. */
  readonly key: string;
  /** What stands before its value in the text of its object. */
  readonly lead: string;
  readonly parent: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  /** Where the document selects it. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly shape: Shape;
  readonly write: WriteJson | undefined;
  /** Its value: what its resolver returns or, as graphql-js has it, the member of its name. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown>;
  /** Its arguments, where the document names none; null: they may differ from request to request. */
  readonly given: FieldArguments | null;
}

/** A type as values are written by it. */
export type Shape = { readonly isNullable: boolean } & (
  | { readonly of: 'leaf'; readonly write: WriteLeaf }
  | { readonly of: 'list'; readonly item: Shape }
  | { readonly of: 'object'; readonly fields: readonly PlannedField[] }
);

const plans = new WeakMap<OperationDefinitionNode, readonly PlannedField[] | null>();

/**
 * Plans an operation of a valid document, once for all requests.
 * @returns its fields; null if it has what few clients send, which is left to graphql-js: directives and introspection
 */
export function planOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly PlannedField[] | null {
  const known = plans.get(operation);
  if (known !== undefined) return known;
  const root = schema.getRootType(operation.operation);
  const planner = new Planner(document);
  const planned = root ? planner.plan(root, [operation.selectionSet]) : null;
  const plan = planner.isUsual ? planned : null;
  // A short document whose fragments are spread in many places has a large plan: it is not kept with the document.
  if (planner.size <= (document.loc?.source.body.length ?? 0)) plans.set(operation, plan);
  return plan;
}

class Planner {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Whether everything so far can be planned. */
  isUsual = true;
  /** How many fields are planned. */
  size = 0;

  constructor({ definitions }: DocumentNode) {
    const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = new Map(fragments.map((node) => [node.name.value, node]));
  }

  plan(parent: GraphQLObjectType, selected: readonly SelectionSetNode[]): readonly PlannedField[] {
    const merged = new Map<string, [FieldNode, ...FieldNode[]]>();
    const spread = new Set<string>();
    for (const set of selected) this.#collect(set, parent, merged, spread);
    const planned: PlannedField[] = [];
    for (const [key, nodes] of merged) {
      const field = this.#field(key, parent, nodes, planned.length === 0);
      if (field) planned.push(field);
    }
    this.size += planned.length;
    return planned;
  }

  /** Collects the fields of a selection set by their names in the response. Every object's type is known: none is abstract. */
  #collect(
    { selections }: SelectionSetNode,
    parent: GraphQLObjectType,
    merged: Map<string, [FieldNode, ...FieldNode[]]>,
    spread: Set<string>,
  ): void {
    for (const node of selections) {
      if (node.directives && node.directives.length > 0) this.isUsual = false;
      if (node.kind === Kind.INLINE_FRAGMENT) {
        if (appliesTo(parent, node.typeCondition)) this.#collect(node.selectionSet, parent, merged, spread);
      } else if (node.kind === Kind.FRAGMENT_SPREAD) {
        const name = node.name.value;
        const fragment = spread.has(name) ? undefined : this.#fragments.get(name);
        spread.add(name);
        if (fragment && appliesTo(parent, fragment.typeCondition)) {
          this.#collect(fragment.selectionSet, parent, merged, spread);
        }
      } else {
        const key = (node.alias ?? node.name).value;
        const known = merged.get(key);
        if (known) known.push(node);
        else merged.set(key, [node]);
      }
    }
  }

  #field(
    key: string,
    parent: GraphQLObjectType,
    nodes: PlannedField['nodes'],
    isFirst: boolean,
  ): PlannedField | undefined {
    const name = nodes[0].name.value;
    const isTypeName = name === TypeNameMetaFieldDef.name;
    const definition = isTypeName ? { ...TypeNameMetaFieldDef, resolve: () => parent.name } : parent.getFields()[name];
    // Resolvers whose last parameter is `info` are left to graphql-js, and so is introspection.
    if (definition === undefined || (definition.resolve?.length ?? 0) > 3) {
      this.isUsual = false;
      return undefined;
    }
    const shape = this.#shape(definition.type, nodes);
    const write = definition.extensions[writesJson] as WriteJson | undefined;
    const resolve = definition.resolve ?? readMember(name);
    const given =
      (nodes[0].arguments ?? []).length === 0 ? Object.freeze(getArgumentValues(definition, nodes[0])) : null;
    return { key, lead: `${isFirst ? '' : ','}"${key}":`, parent, definition, nodes, shape, write, resolve, given };
  }

  #shape(type: GraphQLOutputType, nodes: PlannedField['nodes'], isNullable = true): Shape {
    if (isNonNullType(type)) return this.#shape(type.ofType, nodes, false);
    if (isListType(type)) return { of: 'list', isNullable, item: this.#shape(type.ofType, nodes) };
    if (isLeafType(type)) return { of: 'leaf', isNullable, write: leafWriter(type) };
    if (!isObjectType(type) || type.isTypeOf) {
      this.isUsual = false;
      return { of: 'object', isNullable, fields: [] };
    }
    const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return { of: 'object', isNullable, fields: this.plan(type, below) };
  }
}

/** The resolver of a field that has none of its own: it reads the member of its name, and calls one that is a function. */
function readMember(name: string): GraphQLFieldResolver<unknown, unknown> {
  return (source, given, context, info) => {
    if (typeof source !== 'object' || source === null) return undefined;
    const member = (source as Readonly<Record<string, unknown>>)[name];
    return typeof member === 'function' ? (member.call(source, given, context, info) as unknown) : member;
  };
}

/** Whether a fragment with a type condition is one of an object's type: of the type itself, or of an interface of it. */
function appliesTo(parent: GraphQLObjectType, condition: NamedTypeNode | undefined): boolean {
  const name = condition?.name.value ?? parent.name;
  return name === parent.name || parent.getInterfaces().some((each) => each.name === name);
}
