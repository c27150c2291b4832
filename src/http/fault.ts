// Anything thrown on a request's way → what its caller is told, and what the log keeps. Known errors pass, a database
// that can't answer is `unavailable`, everything else is masked.
import type { Logger } from 'pino';
import { isUnavailable } from '../database/databaseErrors.ts';
import { ServiceError, type ErrorCode } from '../errors.ts';

/** Errors of Express and its body parser, by the status that they carry. */
const byStatus: Record<number, ErrorCode> = {
  400: 'bad_request',
  404: 'not_found',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

/** What an HTTP library says of a request that it could not read. */
interface HttpLibraryError extends Error {
  readonly status: number;
  readonly type?: string;
  /** The bytes that a body may have, where it has more. */
  readonly limit?: number;
}

/** The refusal that an error amounts to. The original is its cause where it is masked. */
export function refusalOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isUnavailable(error)) {
    return new ServiceError('unavailable', { detail: 'The database can’t answer now. Try again.', internal: error });
  }
  if (isHttpLibraryError(error)) return readingRefusal(error);
  return new ServiceError('internal', { detail: 'Something went wrong here.', internal: error });
}

/** Writes to the log what is nobody's refusal: a fault of ours, or the database's. */
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

/** The words of the libraries hold what the client sent, and their own names: ours say the same without. */
function readingRefusal(error: HttpLibraryError): ServiceError {
  const code = byStatus[error.status] ?? (error.status < 500 ? 'bad_request' : 'internal');
  const details: Partial<Record<ErrorCode, string>> = {
    bad_request: error.type === 'entity.parse.failed' ? 'The body is not JSON.' : 'The request can’t be read.',
    payload_too_large: `The body is larger than ${error.limit} bytes.`,
    unsupported_media_type: 'The body’s encoding or character set is not supported: send UTF-8.',
  };
  return new ServiceError(code, { ...(details[code] && { detail: details[code] }), internal: error });
}
