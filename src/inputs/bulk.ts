// The operations of a bulk request, in the spellings of both doors made one. An operation that can't be understood is
// no reason to refuse the others: it gets a refusal of its own.
import { fail, ServiceError } from '../errors.ts';
import type { EntryInput, EntryOperationInput } from '../generated/graphql/types.ts';
import type { RestPayload } from './payload.ts';

/** How many operations one request may have. */
export const mostOperations = 500;

/** One write to an entry. */
export type Operation =
  | { readonly does: 'create'; readonly input: Input }
  | { readonly does: 'update'; readonly id: string; readonly ifVersion: IfVersion; readonly input: Input }
  | { readonly does: 'delete'; readonly id: string; readonly ifVersion: IfVersion }
  | { readonly does: 'nothing'; readonly refusal: ServiceError };

type Input = EntryInput | RestPayload;

type IfVersion = number | readonly number[] | null;

/** The members of an operation, before it is known whether they fit it. */
export interface OperationMembers {
  readonly op: 'create' | 'update' | 'delete';
  readonly id?: string | null | undefined;
  readonly ifVersion?: IfVersion | undefined;
  readonly input?: Input | null | undefined;
}

/** What a door calls the members. */
interface Names {
  readonly ifVersion: string;
  readonly input: string;
}

/** @throws bad_request where there are too few operations, or too many */
export function checkNumber(operations: number): void {
  if (operations === 0) fail('bad_request', 'operations is empty.');
  if (operations > mostOperations) {
    fail('bad_request', `There are ${operations} operations, where ${mostOperations} are allowed.`);
  }
}

/** An operation of GraphQL's. */
export function graphqlOperation(members: EntryOperationInput): Operation {
  return readOperation(() => operationOf(members, { ifVersion: 'ifVersion', input: 'input' }));
}

/** The operation that is read, or the refusal that reading it ends with. */
export function readOperation(read: () => Operation): Operation {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError) return { does: 'nothing', refusal: error };
    throw error;
  }
}

/**
 * An operation, if it has the members that it needs and no others.
 * @throws bad_request
 */
export function operationOf({ op, id, ifVersion, input }: OperationMembers, names: Names): Operation {
  const refuse = (what: string): never => fail('bad_request', `${op} ${what}.`);
  if (op === 'create') {
    if (isGiven(id)) refuse('takes no id');
    if (isGiven(ifVersion)) refuse(`takes no ${names.ifVersion}`);
    return { does: op, input: input ?? refuse(`needs ${names.input}`) };
  }
  const named = { id: id ?? refuse('needs an id'), ifVersion: ifVersion ?? null };
  if (op === 'update') return { does: op, ...named, input: input ?? refuse(`needs ${names.input}`) };
  if (isGiven(input)) refuse(`takes no ${names.input}`);
  return { does: op, ...named };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
