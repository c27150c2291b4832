// Converts thrown values to errors for the caller, and logs faults. A ServiceError passes unchanged, a database that
// cannot answer is `unavailable`, and everything else is masked as `internal`.
import type { Logger } from 'pino';
import { isUnavailable } from '../database/databaseErrors.ts';
import { ServiceError, type ErrorCode } from '../base/errors.ts';

/** Codes for the errors of the router and the body parser, by their HTTP status. */
const codeByStatus: Record<number, ErrorCode> = {
  400: 'bad_request',
  404: 'not_found',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

/** An error of the router or the body parser about an unreadable request. */
interface HttpLibraryError extends Error {
  readonly status: number;
  readonly type?: string;
  /** The maximum size of the body in bytes, if the body is larger. */
  readonly limit?: number;
}

/** The error for the caller; an error that it masks is its `cause`. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isUnavailable(error)) {
    return new ServiceError('unavailable', {
      detail: 'The database cannot answer at the moment. Try again.',
      internal: error,
    });
  }
  if (isHttpLibraryError(error)) return maskReadingError(error);
  return new ServiceError('internal', { detail: 'Something went wrong here.', internal: error });
}

/** Logs an error if it is a fault of the service or of the database (5xx); refusals are not logged. */
export function logFault(
  log: Logger,
  { status, code, cause }: ServiceError,
  particulars: Record<string, unknown>,
): void {
  if (status >= 500) log.error({ ...particulars, err: cause }, code);
}

function isHttpLibraryError(error: unknown): error is HttpLibraryError {
  return error instanceof Error && typeof (error as Partial<HttpLibraryError>).status === 'number';
}

/** Replaces the libraries' messages, which quote the request and reveal the libraries. */
function maskReadingError(error: HttpLibraryError): ServiceError {
  const code = codeByStatus[error.status] ?? (error.status < 500 ? 'bad_request' : 'internal');
  const details: Partial<Record<ErrorCode, string>> = {
    bad_request: error.type === 'entity.parse.failed' ? 'The body is not JSON.' : 'The request cannot be read.',
    payload_too_large: `The body is larger than ${error.limit} bytes.`,
    unsupported_media_type: 'The body’s content encoding or character set is not supported. Send UTF-8.',
  };
  return new ServiceError(code, { ...(details[code] && { detail: details[code] }), internal: error });
}
