// Turns whatever is thrown while a request is handled into what the caller is told, and logs faults. Known errors pass as they
// are, a database that cannot answer is `unavailable`, and everything else is masked as `internal`.
import type { Logger } from 'pino';
import { isUnavailable } from '../database/databaseErrors.ts';
import { ServiceError, type ErrorCode } from '../errors.ts';

/** Codes for the errors of Express and its body parser, by the status that these carry. */
const codeByStatus: Record<number, ErrorCode> = {
  400: 'bad_request',
  404: 'not_found',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

/** An error of Express or its body parser about a request that it could not read. */
interface HttpLibraryError extends Error {
  readonly status: number;
  readonly type?: string;
  /** In bytes, if the body is larger. */
  readonly limit?: number;
}

/** The error that the caller is told. Where it masks another error, that is its cause. */
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

/** Logs an error that is a fault of the service or of the database; refusals are not logged. */
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

/** The libraries' messages quote what the client sent, and show which libraries they are: ours do neither. */
function maskReadingError(error: HttpLibraryError): ServiceError {
  const code = codeByStatus[error.status] ?? (error.status < 500 ? 'bad_request' : 'internal');
  const details: Partial<Record<ErrorCode, string>> = {
    bad_request: error.type === 'entity.parse.failed' ? 'The body is not JSON.' : 'The request cannot be read.',
    payload_too_large: `The body is larger than ${error.limit} bytes.`,
    unsupported_media_type: 'The body’s content encoding or character set is not supported. Send UTF-8.',
  };
  return new ServiceError(code, { ...(details[code] && { detail: details[code] }), internal: error });
}
