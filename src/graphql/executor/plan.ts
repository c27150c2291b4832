// Plans an operation: its selections with fragments spread, equal fields merged and directives applied. The plan is the
// same for every object, and for every request whose variables have the same values for the directives
// (src/graphql/executor/execute.ts runs it).
import {
  getArgumentValues,
  GraphQLError,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
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
import { describeConditions, isIncluded, type VariableValues } from './directives.ts';
import { introspects } from '../documents.ts';
import { leafWriter, type WriteLeaf } from '../scalars.ts';

/**
 * The name under which a field's definition may have, among its `extensions`, a function that writes its value in JSON
 * at once. It is used in place of the resolver, which has to give the same value, and takes no arguments.
 */
export const writesJson = 'writesJson';

/** @throws Error, which becomes the field's */
export type WriteJson = (source: unknown, context: object) => string;

export type FieldArguments = Readonly<Record<string, unknown>>;

/** A field of the response, with the selections below it. */
export interface PlannedField {
  /** Its name in the response. */
  readonly key: string;
  /** The text before its value in that of its object. */
  readonly lead: string;
  readonly parent: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  /** The nodes of the document that select it. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly shape: Shape;
  readonly write: WriteJson | undefined;
  /** Its value: the result of its resolver or, as in graphql-js, the member of its name. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown>;
  /** Its arguments, if the document names none; null if they may differ between requests. */
  readonly given: FieldArguments | null;
}

/** The fields of an object; an error if a variable that decides about one of them has no value. */
type PlannedFields = readonly PlannedField[] | GraphQLError;

/** A type as the writers of values use it. */
export type Shape = { readonly isNullable: boolean } & (
  | { readonly of: 'leaf'; readonly write: WriteLeaf }
  | { readonly of: 'list'; readonly item: Shape }
  | { readonly of: 'object'; readonly fields: readonly PlannedField[] }
  | { readonly of: 'refused'; readonly error: GraphQLError }
);

/** The plans of each operation, by the values of its variables for its directives. */
const plans = new WeakMap<OperationDefinitionNode, Map<string, PlannedFields>>();

/** The number of plans of an operation that are kept. */
const maxPlans = 4;

/**
 * Plans an operation of a valid document, once for all requests whose variables have the same values for its
 * directives.
 * @param variables as graphql-js has coerced them
 * @returns its fields
 * @throws GraphQLError if a variable that decides about one of them has no value
 */
export function planOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: VariableValues,
): readonly PlannedField[] {
  const conditions = describeConditions(document, variables);
  const kept = plans.get(operation);
  const plan = kept?.get(conditions) ?? makePlan({ schema, document, operation, variables }, conditions, kept);
  if (plan instanceof GraphQLError) throw plan;
  return plan;
}

function makePlan(
  { schema, document, operation, variables }: Planned,
  conditions: string,
  kept = new Map<string, PlannedFields>(),
): PlannedFields {
  const root = schema.getRootType(operation.operation);
  if (!root) throw new GraphQLError(`The schema has no ${operation.operation}.`, { nodes: operation });
  const planner = new Planner(schema, document, variables);
  const plan = planner.plan(root, [operation.selectionSet]);
  // A short document whose fragments are spread in many places has a large plan: it is not kept with the document. The
  // plan of an introspection would keep the copy of the schema that it is executed with
  // (src/graphql/executor/execution.ts).
  if (planner.size > (document.loc?.source.body.length ?? 0) || introspects(document)) return plan;
  if (kept.size >= maxPlans) kept.clear();
  plans.set(operation, kept.set(conditions, plan));
  return plan;
}

interface Planned {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: VariableValues;
}

class Planner {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: VariableValues;
  /** The number of planned fields. */
  size = 0;

  constructor(schema: GraphQLSchema, { definitions }: DocumentNode, variables: VariableValues) {
    this.#schema = schema;
    this.#variables = variables;
    const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = new Map(fragments.map((node) => [node.name.value, node]));
  }

  plan(parent: GraphQLObjectType, selected: readonly SelectionSetNode[]): PlannedFields {
    const merged = new Map<string, [FieldNode, ...FieldNode[]]>();
    const spread = new Set<string>();
    try {
      for (const set of selected) this.#collect(set, parent, merged, spread);
    } catch (error) {
      if (error instanceof GraphQLError) return error;
      throw error;
    }
    const planned = [...merged].map(([key, nodes], at) => this.#field(key, parent, nodes, at === 0));
    this.size += planned.length;
    return planned;
  }

  /**
   * Collects the fields of a selection set by their names in the response. Every object's type is known: none is
   * abstract.
   */
  #collect(
    { selections }: SelectionSetNode,
    parent: GraphQLObjectType,
    merged: Map<string, [FieldNode, ...FieldNode[]]>,
    spread: Set<string>,
  ): void {
    for (const node of selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        const name = node.name.value;
        if (spread.has(name) || !isIncluded(node, this.#variables)) continue;
        spread.add(name);
        const fragment = this.#fragments.get(name);
        if (fragment && appliesTo(parent, fragment.typeCondition)) {
          this.#collect(fragment.selectionSet, parent, merged, spread);
        }
      } else if (!isIncluded(node, this.#variables)) {
        continue;
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        if (appliesTo(parent, node.typeCondition)) this.#collect(node.selectionSet, parent, merged, spread);
      } else {
        const key = (node.alias ?? node.name).value;
        const known = merged.get(key);
        if (known) known.push(node);
        else merged.set(key, [node]);
      }
    }
  }

  #field(key: string, parent: GraphQLObjectType, nodes: PlannedField['nodes'], isFirst: boolean): PlannedField {
    const name = nodes[0].name.value;
    const definition = this.#definition(name, parent);
    const shape = this.#shape(definition.type, nodes);
    const write = definition.extensions[writesJson] as WriteJson | undefined;
    const resolve = definition.resolve ?? readMember(name);
    const given =
      (nodes[0].arguments ?? []).length === 0 ? Object.freeze(getArgumentValues(definition, nodes[0])) : null;
    return { key, lead: `${isFirst ? '' : ','}"${key}":`, parent, definition, nodes, shape, write, resolve, given };
  }

  #definition(name: string, parent: GraphQLObjectType): GraphQLField<unknown, unknown> {
    if (name === TypeNameMetaFieldDef.name) return { ...TypeNameMetaFieldDef, resolve: () => parent.name };
    if (parent === this.#schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    }
    const definition = parent.getFields()[name];
    if (definition === undefined) throw new Error(`${parent.name} has no field ${name}: the document is not valid.`);
    // graphql-js' own resolvers take no more of `info` than the schema.
    if ((definition.resolve?.length ?? 0) > 3 && !isIntrospectionType(parent)) {
      throw new Error(
        `The resolver of ${parent.name}.${name} takes info, of which it would be given the schema alone.`,
      );
    }
    return definition;
  }

  #shape(type: GraphQLOutputType, nodes: PlannedField['nodes'], isNullable = true): Shape {
    if (isNonNullType(type)) return this.#shape(type.ofType, nodes, false);
    if (isListType(type)) return { of: 'list', isNullable, item: this.#shape(type.ofType, nodes) };
    if (isLeafType(type)) return { of: 'leaf', isNullable, write: leafWriter(type) };
    if (!isObjectType(type) || type.isTypeOf)
      throw new Error(`Values of ${type.name} are not told apart by their types.`);
    const below = this.plan(
      type,
      nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    );
    return below instanceof GraphQLError
      ? { of: 'refused', isNullable, error: below }
      : { of: 'object', isNullable, fields: below };
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

/**
 * Whether a fragment with a type condition applies to an object's type: it names the type itself, or an interface of
 * it.
 */
function appliesTo(parent: GraphQLObjectType, condition: NamedTypeNode | undefined): boolean {
  const name = condition?.name.value ?? parent.name;
  return name === parent.name || parent.getInterfaces().some((each) => each.name === name);
}
