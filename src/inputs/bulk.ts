// Parses bulk requests of both doors into one form (docs/contract.md §5, §7). A malformed operation gets a refusal of
// its own, and does not prevent the others.
import { fail, ServiceError } from '../base/errors.ts';
import type { EntryOperationInput } from '../generated/graphql/types.ts';
import { didYouMean, nearestName } from '../base/nearestName.ts';
import type { VersionArguments } from './preconditions.ts';
import { isObject } from './json.ts';
import type { PayloadArguments, PublicationArguments } from './payload.ts';

/** Maximum number of operations in one request. */
export const maxOperations = 500;

/** One write to an entry: the arguments of the single operation, or the refusal of a malformed one. */
export type BulkOperation =
  | { readonly does: 'create'; readonly payload: PayloadArguments }
  | {
      readonly does: 'update';
      readonly id: string;
      readonly version: VersionArguments;
      readonly payload: PayloadArguments;
    }
  | { readonly does: 'delete'; readonly id: string; readonly version: VersionArguments }
  | {
      readonly does: 'publish' | 'unpublish';
      readonly id: string;
      readonly version: VersionArguments;
      readonly publication: PublicationArguments;
    }
  | { readonly does: 'nothing'; readonly refusal: ServiceError };

/** A bulk request: a body in REST, arguments in GraphQL. */
export type BulkArguments = { readonly channel: string; readonly useAcl?: boolean } & (
  { readonly body: unknown } | { readonly atomic: boolean; readonly operations: readonly EntryOperationInput[] }
);

export interface BulkInput {
  readonly channel: string;
  readonly useAcl: boolean;
  /** Whether all operations are done, or none. */
  readonly atomic: boolean;
  readonly operations: readonly BulkOperation[];
}

const operationNames = ['create', 'update', 'delete', 'publish', 'unpublish'] as const;

/** The members of an operation, before their combination is checked. */
interface Members {
  readonly op: (typeof operationNames)[number];
  readonly id: string | null;
  readonly version: VersionArguments | null;
  readonly payload: PayloadArguments | null;
  /** The arguments of publishing. */
  readonly publication: PublicationArguments | null;
}

/** The names of members at a door, for messages. */
interface MemberNames {
  readonly version: string;
  readonly payload: string;
}

/** @throws bad_request if the request as a whole is malformed, or has too few or too many operations */
export function parseBulk(args: BulkArguments): BulkInput {
  const { channel, useAcl = false } = args;
  if ('body' in args) return { channel, useAcl, ...parseBody(args.body) };
  assertCount(args.operations.length);
  return { channel, useAcl, atomic: args.atomic, operations: args.operations.map(parseGraphqlOperation) };
}

function parseBody(body: unknown): Pick<BulkInput, 'atomic' | 'operations'> {
  if (!isObject(body)) fail('bad_request', 'The body must be a JSON object.');
  refuseOtherMembers(body, ['atomic', 'operations'], 'the body');
  const { atomic = false, operations } = body;
  if (typeof atomic !== 'boolean') fail('bad_request', 'atomic must be true or false.');
  if (!Array.isArray(operations)) fail('bad_request', 'operations must be an array.');
  assertCount(operations.length);
  return { atomic, operations: operations.map((each: unknown) => orNothing(() => parseRestOperation(each))) };
}

function assertCount(operations: number): void {
  if (operations === 0) fail('bad_request', 'operations must not be empty.');
  if (operations > maxOperations) {
    fail('bad_request', `operations must have at most ${maxOperations} items, and has ${operations}.`);
  }
}

function parseGraphqlOperation({ op, id, ifVersion, input, publication: sent }: EntryOperationInput): BulkOperation {
  const version = typeof ifVersion === 'number' ? { ifVersion } : null;
  const publication = sent ? { publication: sent } : null;
  const members = { op, id: id ?? null, version, payload: input ? { input } : null, publication };
  return orNothing(() => combine(members, { version: 'ifVersion', payload: 'input' }));
}

function parseRestOperation(value: unknown): BulkOperation {
  if (!isObject(value)) fail('bad_request', 'An operation must be a JSON object.');
  refuseOtherMembers(value, ['op', 'id', 'if_match', 'data'], 'an operation');
  const { op, id = null, if_match: ifMatch = null, data = null } = value;
  if (!isOperationName(op)) {
    const nearest = typeof op === 'string' ? nearestName(op, operationNames) : null;
    fail('bad_request', `op must be create, update, delete, publish or unpublish${didYouMean(nearest)}`);
  }
  if (id !== null && typeof id !== 'string') fail('bad_request', 'id must be a string.');
  if (ifMatch !== null && typeof ifMatch !== 'string') fail('bad_request', 'if_match must be a string.');
  if (data !== null && !isObject(data)) fail('bad_request', 'data must be a JSON object.');
  const version = ifMatch === null ? null : { ifMatch };
  // A new entry may keep an id, and the times in its data. Other operations require the id of an entry.
  const keptId = op === 'create' && id !== null ? id : undefined;
  const names = { version: 'if_match', payload: 'data' };
  if (op === 'publish' || op === 'unpublish') {
    return combine({ op, id, version, payload: null, publication: { body: data ?? {} } }, names);
  }
  const payload = data === null ? null : { body: data, keptId };
  const entryId = op === 'create' ? null : id;
  return combine({ op, id: entryId, version, payload, publication: null }, names);
}

function isOperationName(op: unknown): op is Members['op'] {
  return (operationNames as readonly unknown[]).includes(op);
}

/** Parses an operation, or returns the refusal that parsing threw. */
function orNothing(parse: () => BulkOperation): BulkOperation {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ServiceError) return { does: 'nothing', refusal: error };
    throw error;
  }
}

/** Makes an operation, if it has the members that it needs and no others. @throws bad_request */
function combine({ op, id, version, payload, publication }: Members, names: MemberNames): BulkOperation {
  const refuse = (problem: string): never => fail('bad_request', `${op} ${problem}.`);
  if (publication !== null && op !== 'publish' && !(op === 'unpublish' && 'body' in publication)) {
    refuse('takes no publication');
  }
  if (op === 'create') {
    if (id !== null) refuse('takes no id');
    if (version !== null) refuse(`takes no ${names.version}`);
    return { does: op, payload: payload ?? refuse(`needs ${names.payload}`) };
  }
  const target = { id: id ?? refuse('needs an id'), version: version ?? {} };
  if (op === 'update') return { does: op, ...target, payload: payload ?? refuse(`needs ${names.payload}`) };
  if (payload !== null) refuse(`takes no ${names.payload}`);
  return op === 'delete' ? { does: op, ...target } : { does: op, ...target, publication: publication ?? {} };
}

function refuseOtherMembers(value: Record<string, unknown>, allowed: readonly string[], description: string): void {
  const other = Object.keys(value).find((name) => !allowed.includes(name));
  if (other === undefined) return;
  const hint = didYouMean(nearestName(other, allowed), `, which may have ${allowed.join(', ')}.`);
  fail('bad_request', `${JSON.stringify(other)} is not a member of ${description}${hint}`);
}
