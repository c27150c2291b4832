// The preconditions of writes: If-Match and If-None-Match (docs/contract.md §5.10).
import { readHeader, type RequestHeaders } from '../auth/identify.ts';
import { fail } from '../base/errors.ts';
import { allowsUntagged, type PreconditionHeaders } from '../inputs/preconditions.ts';
import type { Operation, Steps } from '../resolvers/operation.ts';

/** Whether a method changes or deletes the object of a path, so that preconditions about it hold. */
export function changesWhatIsThere(method: string): boolean {
  return method === 'PUT' || method === 'PATCH' || method === 'DELETE';
}

/** The headers that make a write conditional. */
export function preconditionHeaders(headers: RequestHeaders): PreconditionHeaders {
  return { ifMatch: readHeader(headers, 'if-match'), ifNoneMatch: readHeader(headers, 'if-none-match') };
}

/**
 * An operation on an object without entity tags: it is refused (412) once the object is found, if the request has
 * preconditions that then do not hold (RFC 9110 §13.1, §13.2.1).
 * @throws bad_request if a header is malformed
 */
export function withPreconditions<S extends Steps>(
  operation: Operation<S>,
  { headers }: { readonly headers: RequestHeaders },
): Operation<S> {
  if (allowsUntagged(preconditionHeaders(headers))) return operation;
  if ('load' in operation) return { ...operation, run: () => refuseTagged() };
  const run: typeof operation.run = async (input, context) => {
    await operation.find?.(input, context);
    return refuseTagged();
  };
  return { ...operation, run };
}

function refuseTagged(): never {
  fail('precondition_failed', 'This has no entity tags, and exists: If-Match or If-None-Match does not hold.');
}
