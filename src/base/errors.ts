// The table of all errors that a caller can see, in REST and GraphQL. A ServiceError reaches the caller unchanged. Any other
// error is masked as `internal`, and logged with the request's id (src/http/fault.ts).

/** One invalid member of a payload: its REST name, a code for programs, and a message on the fault. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

/** By the code in REST: the HTTP status and title (docs/contract.md §5), and the code in GraphQL (docs/contract.md §7). */
export const errorTable = {
  bad_request: { status: 400, title: 'Bad request', graphql: 'BAD_USER_INPUT' },
  unauthenticated: { status: 401, title: 'Unauthenticated', graphql: 'UNAUTHENTICATED' },
  forbidden: { status: 403, title: 'Forbidden', graphql: 'FORBIDDEN' },
  not_found: { status: 404, title: 'Not found', graphql: 'NOT_FOUND' },
  method_not_allowed: { status: 405, title: 'Method not allowed', graphql: 'METHOD_NOT_ALLOWED' },
  conflict: { status: 409, title: 'Conflict', graphql: 'CONFLICT' },
  precondition_failed: { status: 412, title: 'Precondition failed', graphql: 'PRECONDITION_FAILED' },
  cursor_expired: { status: 410, title: 'Cursor expired', graphql: 'CURSOR_EXPIRED' },
  payload_too_large: { status: 413, title: 'Payload too large', graphql: 'PAYLOAD_TOO_LARGE' },
  too_complex: { status: 400, title: 'Too complex', graphql: 'TOO_COMPLEX' },
  answer_too_large: { status: 400, title: 'Answer too large', graphql: 'ANSWER_TOO_LARGE' },
  query_too_complex: { status: 400, title: 'Query too complex', graphql: 'QUERY_TOO_COMPLEX' },
  uri_too_long: { status: 414, title: 'URI too long', graphql: 'URI_TOO_LONG' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type', graphql: 'UNSUPPORTED_MEDIA_TYPE' },
  validation_failed: { status: 422, title: 'Validation failed', graphql: 'BAD_USER_INPUT' },
  rate_limited: { status: 429, title: 'Too many requests', graphql: 'RATE_LIMITED' },
  internal: { status: 500, title: 'Internal error', graphql: 'INTERNAL_SERVER_ERROR' },
  unavailable: { status: 503, title: 'Service unavailable', graphql: 'UNAVAILABLE' },
} as const satisfies Record<string, { status: number; title: string; graphql: string }>;

export type ErrorCode = keyof typeof errorTable;

interface ErrorDetails {
  /** For the caller: the faulty part of the request, and the reason. Absent for the code's title. */
  detail?: string;
  /** For the caller, for invalid values and conflicts. */
  errors?: FieldError[];
  /** For the caller: the right or the scope that it lacks. */
  missing?: string;
  /** For the log only: the error behind this one. */
  internal?: unknown;
  /** Headers of the response, such as `Allow`. */
  headers?: Record<string, string>;
}

/** An error that the caller may see. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
  readonly errors: FieldError[] | undefined;
  readonly missing: string | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, { detail, errors, missing, internal, headers }: ErrorDetails = {}) {
    super(detail ?? errorTable[code].title, internal === undefined ? {} : { cause: internal });
    this.name = 'ServiceError';
    this.code = code;
    this.status = errorTable[code].status;
    this.detail = this.message;
    this.errors = errors;
    this.missing = missing;
    this.headers = { ...headersByCode[code], ...headers };
  }
}

/** Headers that every response with a code has: RFC 9110 §11.6.1 for 401, docs/contract.md §5 for 503. */
const headersByCode: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthenticated: { 'WWW-Authenticate': 'Bearer' },
  unavailable: { 'Retry-After': '1' },
};

/**
 * Fails the request.
 * @param details the details, or only the `detail` as a text
 * @throws {ServiceError} always
 */
export function fail(code: ErrorCode, details: ErrorDetails | string = {}): never {
  throw new ServiceError(code, typeof details === 'string' ? { detail: details } : details);
}

/**
 * Refuses a request for want of a right (docs/contract.md §14.1).
 * @throws {ServiceError} always
 */
export function failForRight(detail: string, missing: string): never {
  const errors = [{ field: 'Authorization', code: 'missing_right', message: `the right ${missing} is missing` }];
  throw new ServiceError('forbidden', { detail, errors, missing });
}

/**
 * Refuses a request for want of a scope (docs/contract.md §14.5), with the challenge of RFC 6750 §3.1.
 * @param missing the right that the token's scopes do not have: a text without spaces and quotes
 * @throws {ServiceError} always
 */
export function failForScope(detail: string, missing: string): never {
  const errors = [{ field: 'Authorization', code: 'missing_scope', message: `the scope ${missing} is missing` }];
  const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${missing}"` };
  throw new ServiceError('forbidden', { detail, errors, missing, headers });
}

/** Bounds of a response's size: the number of its errors, and the length of each name and message in characters. */
const maxErrors = 100;
const maxTextLength = 300;

/**
 * Fails the request because of readable but invalid values (422). Reports all of them at once.
 * @throws {ServiceError} always
 */
export function failValidation(found: readonly FieldError[]): never {
  const errors = found
    .slice(0, maxErrors)
    .map(({ field, code, message }) => ({ field: truncateText(field), code, message: truncateText(message) }));
  throw new ServiceError('validation_failed', {
    detail: errors.map(({ field, message }) => `${field}: ${message}`).join('; '),
    errors,
  });
}

function truncateText(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength).toWellFormed()}…` : text;
}

/** Runs some work. @returns its result, or the ServiceError that it throws @throws any other error that it throws */
export async function orRefusal<Result>(work: () => Promise<Result>): Promise<Result | ServiceError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
