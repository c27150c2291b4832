// The resolvers of top-level fields: each performs an operation with the field's arguments.
import { ServiceError } from '../base/errors.ts';
import type { MutationResolvers, QueryResolvers } from '../generated/graphql/types.ts';
import type { Operation, ResultOf, Steps } from '../resolvers/operation.ts';
import { perform } from '../resolvers/perform.ts';
import type { GraphqlContext } from './idempotency.ts';

type FieldResolver<Args, Result> = (parent: unknown, args: Taken<Args>, context: GraphqlContext) => Promise<Result>;

/**
 * Arguments without any other of the schema: one that the operation does not take would be ignored, and does not
 * compile.
 */
type Taken<Args> = Args & Readonly<Partial<Record<Exclude<ArgumentName, NameIn<Args>>, never>>>;

/** The names of the arguments of all top-level fields. */
type ArgumentName = NameIn<ArgumentsOf<QueryResolvers> | ArgumentsOf<MutationResolvers>>;
type ArgumentsOf<Fields> = {
  [Field in keyof Fields]: Fields[Field] extends Takes<infer Args> ? Args : never;
}[keyof Fields];
type Takes<Args> = (parent: never, args: Args, ...rest: never) => unknown;
/** The names of an object's members, or of those of all objects of a union. `string` is none. */
type NameIn<Args> = Args extends unknown ? (string extends keyof Args ? never : keyof Args) : never;

/** Creates the resolver of a top-level field. */
export function field<S extends Steps>(operation: Operation<S>): FieldResolver<S['args'], ResultOf<S>> {
  return (_parent, args, context) => {
    const { noteStored } = context;
    const result = perform(operation, args, context);
    if (noteStored === undefined) return result;
    return result.then((done) => {
      noteStored(operation.stores?.(done) ?? true);
      return done;
    });
  };
}

/** Creates the resolver of a field that reads one object: null if there is none that the caller may see. */
export function findingField<S extends Steps>(operation: Operation<S>): FieldResolver<S['args'], ResultOf<S> | null> {
  return (_parent, args, context) => perform(operation, args, context).catch(nullIfNotFound);
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'not_found') return null;
  throw error;
}
