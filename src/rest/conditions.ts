// The preconditions of writes: If-Match and If-None-Match (docs/contract.md §5.10).
import { readHeader, type RequestHeaders } from '../auth/identify.ts';
import type { Context } from '../resolvers/context.ts';
import { fail } from '../base/errors.ts';
import { allowsUntagged, type PreconditionHeaders } from '../inputs/preconditions.ts';
import type { Operation } from '../resolvers/perform.ts';

/** Whether a method changes or deletes what a path names, so that preconditions about it hold. */
export function changesWhatIsThere(method: string): boolean {
  return method === 'PUT' || method === 'PATCH' || method === 'DELETE';
}

/** The headers that make a write conditional. */
export function preconditionHeaders(headers: RequestHeaders): PreconditionHeaders {
  return { ifMatch: readHeader(headers, 'if-match'), ifNoneMatch: readHeader(headers, 'if-none-match') };
}

/**
 * An operation on what has no entity tags, which is refused (412) once it is found, if preconditions were sent that then do not hold
 * (RFC 9110 §13.1, §13.2.1).
 * @throws bad_request where a header is malformed
 */
export function withPreconditions<Args, Input, Loaded, Done, Result>(
  operation: Operation<Args, Input, Loaded, Done, Result, Context>,
  { headers }: { readonly headers: RequestHeaders },
): Operation<Args, Input, Loaded, Done, Result, Context> {
  if (allowsUntagged(preconditionHeaders(headers))) return operation;
  return {
    ...operation,
    authorize: (...checked) => {
      operation.authorize(...checked);
      fail('precondition_failed', 'This has no entity tags, and exists: If-Match or If-None-Match does not hold.');
    },
  };
}
