// Observes an operation from outside: how long it takes and how it ends, for the metrics, and its span.
import { isUnavailable } from '../database/databaseErrors.ts';
import { ServiceError, type ErrorCode } from '../errors.ts';
import type { RequestAccount } from '../telemetry/account.ts';
import { runInOperationSpan, type SpanError } from '../telemetry/tracing.ts';

/**
 * Runs an operation, and notes how it ended.
 * @param account that of the operation's request
 * @returns its result
 * @throws what it throws
 */
export async function observe<Result>(
  name: string,
  account: Pick<RequestAccount, 'endOperation'>,
  run: () => Promise<Result>,
): Promise<Result> {
  const begun = performance.now();
  let code: ErrorCode | null = null;
  try {
    return await runInOperationSpan(name, run, describeSpanError);
  } catch (error) {
    code = codeFor(error);
    throw error;
  } finally {
    account.endOperation(name, code, performance.now() - begun);
  }
}

/** The code that callers will see for an error (src/http/fault.ts). */
function codeFor(error: unknown): ErrorCode {
  if (error instanceof ServiceError) return error.code;
  return isUnavailable(error) ? 'unavailable' : 'internal';
}

function describeSpanError(error: unknown): SpanError {
  const type = codeFor(error);
  return { type, isFault: type === 'internal' || type === 'unavailable' };
}
