// A schema whose types are filled in when a document names them. graphql-js itself visits every field of every type
// before the first request, which takes too long and too much memory for a site with many channels.
import {
  GraphQLSchema,
  isInterfaceType,
  isObjectType,
  specifiedDirectives,
  type GraphQLAbstractType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql';

/** The content of a schema. Its types are valid: nothing checks them. */
export interface SchemaParts {
  readonly query: GraphQLObjectType;
  /** null if nothing can be written. */
  readonly mutation: GraphQLObjectType | null;
  /** The interface of entries, and the types that implement it. */
  readonly entry: GraphQLInterfaceType;
  readonly entryTypes: readonly GraphQLObjectType[];
  /** All types by name, the ones above among them. */
  readonly types: ReadonlyMap<string, GraphQLNamedType>;
  /** The number of fields in the channels. */
  readonly fieldCount: number;
  /** The number of members of types that are filled in by now. */
  readonly countFilled: () => number;
  /** Builds the same schema again, with nothing filled in. */
  readonly copy: () => LazySchema;
}

export class LazySchema extends GraphQLSchema {
  readonly #parts: SchemaParts;
  readonly #typeMap: Readonly<Record<string, GraphQLNamedType>>;
  readonly #entryTypes: ReadonlySet<GraphQLNamedType>;
  #isShown = true;

  constructor(parts: SchemaParts) {
    super({ directives: specifiedDirectives, assumeValid: true });
    this.#parts = parts;
    const typeMap = Object.create(null) as Record<string, GraphQLNamedType>;
    for (const [name, type] of parts.types) typeMap[name] = type;
    // The types of introspection. The constructor has also collected the scalars of the directives, of which the schema
    // has its own.
    for (const [name, type] of Object.entries(super.getTypeMap())) typeMap[name] ??= type;
    this.#typeMap = typeMap;
    this.#entryTypes = new Set(parts.entryTypes);
  }

  /** The number of fields in the channels: the size of the schema once all of its types are filled in. */
  get fieldCount(): number {
    return this.#parts.fieldCount;
  }

  /** The number of members of types that are filled in by now. */
  get filled(): number {
    return this.#parts.countFilled();
  }

  /** Copies the schema for work that fills in all of it, as introspection does. */
  copy(): LazySchema {
    return this.#parts.copy();
  }

  /** Shows no type while `work` runs: Apollo Server prints the schema it is given, to distinguish it from others. */
  hideWhile<Result>(work: () => Result): Result {
    this.#isShown = false;
    try {
      return work();
    } finally {
      this.#isShown = true;
    }
  }

  override getQueryType(): GraphQLObjectType {
    return this.#parts.query;
  }

  override getMutationType(): GraphQLObjectType | null {
    return this.#parts.mutation;
  }

  override getSubscriptionType(): null {
    return null;
  }

  override getRootType(operation: string): GraphQLObjectType | null {
    if (operation === 'query') return this.#parts.query;
    return operation === 'mutation' ? this.#parts.mutation : null;
  }

  override getTypeMap(): Record<string, GraphQLNamedType> {
    return this.#isShown ? this.#typeMap : {};
  }

  override getType(name: string): GraphQLNamedType | undefined {
    return this.#typeMap[name];
  }

  override getPossibleTypes(type: GraphQLAbstractType): readonly GraphQLObjectType[] {
    return type === this.#parts.entry ? this.#parts.entryTypes : [];
  }

  override getImplementations(type: GraphQLInterfaceType): {
    objects: readonly GraphQLObjectType[];
    interfaces: readonly GraphQLInterfaceType[];
  } {
    return { objects: type === this.#parts.entry ? this.#parts.entryTypes : [], interfaces: [] };
  }

  override isSubType(type: GraphQLAbstractType, maybe: GraphQLObjectType | GraphQLInterfaceType): boolean {
    return isInterfaceType(type) && type === this.#parts.entry && isObjectType(maybe) && this.#entryTypes.has(maybe);
  }
}
