// Measures the size of an operation, by its document, the schema and its variables, before it is executed. Libraries
// for this are validation rules, which Apollo Server skips for documents in its cache, or visit a fragment as often as
// it is spread. Here every operation is measured, and each fragment is visited once.
import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import type { GraphqlLimits } from '../config/config.ts';
import { maxOperations } from '../inputs/bulk.ts';
import { defaultSize, maxChanges, maxPageSize } from '../inputs/lists/list.ts';

/**
 * The measures of an operation, with its fragments spread. Fields count even if a directive such as @skip leaves them
 * out.
 */
export type Complexity = Pick<GraphqlLimits, 'depth' | 'aliases' | 'rootFields' | 'cost'> & {
  /** The number of operations that its top-level fields run: one each, or as many as a bulk field's list has. */
  readonly operations: number;
};

/** An operation of a valid document. */
export interface MeasuredOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The variables as they were sent. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The assumed number of items of a list without a page size. */
const assumedLength = 10;

/** The value of a variable for a measure: a number, or the number of items in its list. */
type Size = number | string;

/** The last measure of each operation, with the sizes in its variables for which it holds. */
const lastMeasures = new WeakMap<
  OperationDefinitionNode,
  { readonly sizes: ReadonlyMap<string, Size>; readonly complexity: Complexity }
>();

/**
 * Measures an operation. Takes time linear in the document's length, however often the document spreads a fragment, and next
 * to none if the operation was measured with variables of the same sizes before.
 */
export function complexityOf(measured: MeasuredOperation): Complexity {
  const { operation, variables } = measured;
  const last = lastMeasures.get(operation);
  if (last && [...last.sizes].every(([name, size]) => sizeOf(variables, name) === size)) return last.complexity;
  const measurement = new Measurement(measured);
  const complexity = measurement.ofOperation();
  lastMeasures.set(operation, { sizes: measurement.sizes, complexity });
  return complexity;
}

function sizeOf(variables: MeasuredOperation['variables'], name: string): Size {
  if (!Object.hasOwn(variables, name)) return 'absent';
  const value = variables[name];
  return Array.isArray(value) ? `${value.length} items` : typeof value === 'number' ? value : 'neither';
}

interface Amount {
  depth: number;
  aliases: number;
  fields: number;
  /** The number of operations that the fields run if they are at the top level. */
  operations: number;
  cost: number;
}

const noAmount: Readonly<Amount> = { depth: 0, aliases: 0, fields: 0, operations: 0, cost: 0 };

class Measurement {
  readonly #measured: MeasuredOperation;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The sizes in the variables that were read. */
  readonly sizes = new Map<string, Size>();
  /** The measures of fragments, by name and page size. */
  readonly #found = new Map<string, Amount>();

  constructor(measured: MeasuredOperation) {
    this.#measured = measured;
    const definitions = measured.document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
    this.#fragments = new Map(definitions.map((node) => [node.name.value, node]));
  }

  ofOperation(): Complexity {
    const { schema, operation } = this.#measured;
    const { fields, ...rest } = this.#selections(operation.selectionSet, schema.getRootType(operation.operation), null);
    return { rootFields: fields, ...rest };
  }

  /** Adds up selections. @param pageSize the page size of the connection to which these fields belong; null if it is none */
  #selections(
    { selections }: SelectionSetNode,
    type: GraphQLNamedType | undefined | null,
    pageSize: number | null,
  ): Amount {
    const sum = { ...noAmount };
    for (const node of selections) {
      const { depth, aliases, fields, operations, cost } = this.#selection(node, type, pageSize);
      sum.depth = Math.max(sum.depth, depth);
      sum.aliases += aliases;
      sum.fields += fields;
      sum.operations += operations;
      sum.cost += cost;
    }
    return sum;
  }

  #selection(node: SelectionNode, type: GraphQLNamedType | undefined | null, pageSize: number | null): Amount {
    if (node.kind === Kind.FIELD) return this.#field(node, type, pageSize);
    if (node.kind === Kind.FRAGMENT_SPREAD) return this.#fragment(node.name.value, pageSize);
    const condition = node.typeCondition && this.#measured.schema.getType(node.typeCondition.name.value);
    return this.#selections(node.selectionSet, condition ?? type, pageSize);
  }

  #fragment(name: string, pageSize: number | null): Amount {
    const key = `${name} ${pageSize}`;
    const known = this.#found.get(key);
    if (known) return known;
    const fragment = this.#fragments.get(name);
    if (fragment === undefined) return noAmount;
    const type = this.#measured.schema.getType(fragment.typeCondition.name.value);
    const amount = this.#selections(fragment.selectionSet, type, pageSize);
    this.#found.set(key, amount);
    return amount;
  }

  #field(node: FieldNode, parent: GraphQLNamedType | undefined | null, pageSize: number | null): Amount {
    const field = this.#definition(node.name.value, parent);
    const type = field && getNamedType(field.type);
    const below =
      node.selectionSet && field && isCompositeType(type)
        ? this.#selections(node.selectionSet, type, this.#pageSize(node, field))
        : noAmount;
    const length = field && isListType(getNullableType(field.type)) ? (pageSize ?? assumedLength) : 1;
    return {
      depth: 1 + below.depth,
      aliases: (node.alias ? 1 : 0) + below.aliases,
      fields: 1,
      operations: (field && this.#operations(node, field)) ?? 1,
      cost: 1 + length * below.cost,
    };
  }

  #definition(name: string, parent: GraphQLNamedType | undefined | null): GraphQLField<unknown, unknown> | undefined {
    const { schema } = this.#measured;
    const introspection = [SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name);
    if (introspection && parent === schema.getQueryType()) return introspection;
    return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
  }

  /**
   * The number of items that a connection or a bulk returns; null if the field takes neither `first` nor `operations`.
   */
  #pageSize(node: FieldNode, field: GraphQLField<unknown, unknown>): number | null {
    const operations = this.#operations(node, field);
    // Each result has either an entry or an error, and so about half of the fields that are selected.
    if (operations !== null) return Math.ceil(Math.min(operations, maxOperations) / 2);
    if (!takes(field, 'first')) return null;
    const size = this.#argument(node, 'first');
    // A size that is out of bounds is refused by the operation itself, with a clearer message.
    return Math.min(
      Math.max(typeof size === 'number' ? size : usualSize(field), 1),
      field.name === 'changes' ? maxChanges : maxPageSize,
    );
  }

  /** The number of operations that a bulk field is sent; null if the field takes none. */
  #operations(node: FieldNode, field: GraphQLField<unknown, unknown>): number | null {
    if (!takes(field, 'operations')) return null;
    const given = this.#argument(node, 'operations');
    return Array.isArray(given) ? Math.max(given.length, 1) : 1;
  }

  #argument(node: FieldNode, argument: string): unknown {
    const given = node.arguments?.find(({ name }) => name.value === argument);
    return given && this.#value(given.value);
  }

  #value(node: ValueNode): unknown {
    if (node.kind === Kind.INT) return Number(node.value);
    if (node.kind === Kind.LIST) return node.values;
    if (node.kind !== Kind.VARIABLE) return undefined;
    const { variables, operation } = this.#measured;
    const name = node.name.value;
    this.sizes.set(name, sizeOf(variables, name));
    if (Object.hasOwn(variables, name)) return variables[name];
    const fallback = operation.variableDefinitions?.find(({ variable }) => variable.name.value === name)?.defaultValue;
    return fallback && this.#value(fallback);
  }
}

/** The number of items that a connection returns by default. */
function usualSize({ args }: GraphQLField<unknown, unknown>): number {
  const usual = args.find(({ name }) => name === 'first')?.defaultValue;
  return typeof usual === 'number' ? usual : defaultSize;
}

function takes({ args }: GraphQLField<unknown, unknown>, argument: string): boolean {
  return args.some(({ name }) => name === argument);
}
