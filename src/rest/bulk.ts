// The bodies of bulk requests and of their answers (docs/contract.md §5).
import { fail } from '../errors.ts';
import { checkNumber, operationOf, readOperation, type Operation } from '../inputs/bulk.ts';
import { isObject } from '../inputs/json.ts';
import { RestPayload } from '../inputs/payload.ts';
import type { BulkResult, Outcome } from '../resolvers/entries/bulk.ts';
import { restEntry } from '../serializers/restEntry.ts';
import { versionsOf } from './entityTag.ts';
import { problemOf } from './problem.ts';

/** What a bulk request's body asks for. */
export interface Bulk {
  readonly atomic: boolean;
  readonly operations: readonly Operation[];
}

/** @throws bad_request where the body as a whole can't be understood */
export function readBulk(body: unknown): Bulk {
  if (!isObject(body)) fail('bad_request', 'The body is a JSON object.');
  refuseOthers(body, ['atomic', 'operations'], 'The body');
  const { atomic = false, operations } = body;
  if (typeof atomic !== 'boolean') fail('bad_request', 'atomic is true or false.');
  if (!Array.isArray(operations)) fail('bad_request', 'operations is an array.');
  checkNumber(operations.length);
  return { atomic, operations: operations.map((each: unknown) => readOperation(() => restOperation(each))) };
}

function restOperation(value: unknown): Operation {
  if (!isObject(value)) fail('bad_request', 'An operation is a JSON object.');
  refuseOthers(value, ['op', 'id', 'if_match', 'data'], 'An operation');
  const { op, id = null, if_match: ifMatch = null, data = null } = value;
  if (!isOp(op)) fail('bad_request', 'op is create, update or delete.');
  if (id !== null && typeof id !== 'string') fail('bad_request', 'id is a string.');
  if (ifMatch !== null && typeof ifMatch !== 'string') fail('bad_request', 'if_match is a string.');
  if (data !== null && !isObject(data)) fail('bad_request', 'data is a JSON object.');
  if (op === 'create' && ifMatch !== null) fail('bad_request', 'create takes no if_match.');
  const ifVersion = versionsOf(ifMatch ?? undefined);
  const members = { op, id, ifVersion, input: data && new RestPayload(data) };
  return operationOf(members, { ifVersion: 'if_match', input: 'data' });
}

function isOp(value: unknown): value is 'create' | 'update' | 'delete' {
  return value === 'create' || value === 'update' || value === 'delete';
}

function refuseOthers(value: Record<string, unknown>, known: readonly string[], what: string): void {
  if (Object.keys(value).some((name) => !known.includes(name))) {
    fail('bad_request', `${what} has no members but ${known.join(', ')}.`);
  }
}

/** An answer's body: each result with the status, and the entry or the problem, that its operation has by itself. */
export function bulkBody({ results }: BulkResult, requestId: string): string {
  const written = ({ status, entry, error }: Outcome): object => ({
    status,
    ...(entry && { entry: restEntry(entry) }),
    ...(error && { error: problemOf(error, requestId) }),
  });
  return JSON.stringify({ results: results.map(written) });
}
