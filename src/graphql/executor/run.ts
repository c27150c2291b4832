// The execution of one operation: its arguments, its errors, and its pauses.
import {
  getArgumentValues,
  type GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type ResponsePath,
} from 'graphql';
import { nextTurn } from '../../base/eventLoop.ts';
import { RequestStats } from '../../telemetry/requestStats.ts';
import type { VariableValues } from './directives.ts';
import type { FieldArguments, PlannedField } from './plan.ts';

/** A path in the response; undefined for the whole. */
export type ResultPath = ResponsePath | undefined;

/**
 * The number of fields that wait for their values, or for those of fields inside them, after which the lists of an
 * operation pause. When the values are there, all of these fields are written without a break, and no other request is
 * answered. Fields that need not wait are written quickly.
 */
const maxWaitedFields = 500;

/** The execution of one operation. */
export class Run {
  /** The information of graphql-js for resolvers of introspection; others take none (plan.ts). */
  readonly info: GraphQLResolveInfo;
  readonly context: object;
  readonly variables: VariableValues;
  readonly errors: GraphQLError[] = [];
  /** The paths that are null because of an error. */
  readonly #failed = new Set<ResultPath>();
  readonly #arguments = new Map<PlannedField, FieldArguments>();
  /** The number of fields that had to wait since the last pause. */
  #waitedFields = 0;
  #pause: Promise<void> | null = null;

  constructor(schema: GraphQLSchema, context: object, variables: VariableValues) {
    this.info = { schema } as GraphQLResolveInfo;
    this.context = context;
    this.variables = variables;
  }

  /** The arguments of a field: the same for all objects that have it. @throws GraphQLError */
  readArguments(field: PlannedField): FieldArguments {
    const known = field.given ?? this.#arguments.get(field);
    if (known) return known;
    const given = Object.freeze(getArgumentValues(field.definition, field.nodes[0], this.variables));
    this.#arguments.set(field, given);
    return given;
  }

  /** Counts a field that has to wait for its value. */
  countWaited(): void {
    this.#waitedFields += 1;
  }

  /** Whether a list is to pause before its next item. */
  get mustPause(): boolean {
    return this.#waitedFields >= maxWaitedFields;
  }

  /** Yields to other work, unless another list of the operation has done so meanwhile. */
  async pause(): Promise<void> {
    while (this.mustPause) await (this.#pause ??= this.#letOthersWork());
  }

  async #letOthersWork(): Promise<void> {
    await nextTurn();
    this.#waitedFields = 0;
    this.#pause = null;
  }

  /** Notes that an error arose in the request of this operation (src/telemetry/strays.ts). */
  own(error: unknown): void {
    if ('account' in this.context && this.context.account instanceof RequestStats) this.context.account.own(error);
  }

  /** Adds an error, unless its path is below one that is null already. */
  addError(error: GraphQLError, place: ResultPath): void {
    for (let at = place; at !== undefined; at = at.prev) if (this.#failed.has(at)) return;
    if (this.#failed.has(undefined)) return;
    this.#failed.add(place);
    this.errors.push(error);
  }
}
