// Every error that a caller can see: one table for both doors. Known errors pass to the caller as they are,
// anything else is masked as `internal` at the edge and logged there with the request id.

/** One thing wrong with a request: a member of its payload, by its REST name, and what is the matter with it. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

/** code → HTTP status and title (docs/contract.md §5), and the code of the GraphQL door (docs/contract.md §7). */
export const errorTable = {
  bad_request: { status: 400, title: 'Bad request', graphql: 'BAD_USER_INPUT' },
  unauthenticated: { status: 401, title: 'Unauthenticated', graphql: 'UNAUTHENTICATED' },
  forbidden: { status: 403, title: 'Forbidden', graphql: 'FORBIDDEN' },
  not_found: { status: 404, title: 'Not found', graphql: 'NOT_FOUND' },
  method_not_allowed: { status: 405, title: 'Method not allowed', graphql: 'METHOD_NOT_ALLOWED' },
  conflict: { status: 409, title: 'Conflict', graphql: 'CONFLICT' },
  precondition_failed: { status: 412, title: 'Precondition failed', graphql: 'PRECONDITION_FAILED' },
  payload_too_large: { status: 413, title: 'Payload too large', graphql: 'PAYLOAD_TOO_LARGE' },
  query_too_complex: { status: 400, title: 'Query too complex', graphql: 'QUERY_TOO_COMPLEX' },
  uri_too_long: { status: 414, title: 'URI too long', graphql: 'URI_TOO_LONG' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type', graphql: 'UNSUPPORTED_MEDIA_TYPE' },
  validation_failed: { status: 422, title: 'Validation failed', graphql: 'BAD_USER_INPUT' },
  rate_limited: { status: 429, title: 'Too many requests', graphql: 'RATE_LIMITED' },
  internal: { status: 500, title: 'Internal error', graphql: 'INTERNAL_SERVER_ERROR' },
  unavailable: { status: 503, title: 'Service unavailable', graphql: 'UNAVAILABLE' },
} as const satisfies Record<string, { status: number; title: string; graphql: string }>;

export type ErrorCode = keyof typeof errorTable;

interface Particulars {
  /** For the caller: what is wrong, naming it. */
  detail?: string;
  /** For the caller, on validation and conflicts. */
  errors?: FieldError[];
  /** For the log alone. */
  internal?: unknown;
  /** Response headers that go with the refusal, such as `Allow`. */
  headers?: Record<string, string>;
}

/** A refusal that the caller may see. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, { detail, errors, internal, headers }: Particulars = {}) {
    super(detail ?? errorTable[code].title, internal === undefined ? {} : { cause: internal });
    this.name = 'ServiceError';
    this.code = code;
    this.status = errorTable[code].status;
    this.detail = this.message;
    this.errors = errors;
    this.headers = { ...standingHeaders[code], ...headers };
  }
}

/** Headers that a code always carries: RFC 9110 §11.6.1 for 401, docs/contract.md §5 for 503. */
const standingHeaders: Partial<Record<ErrorCode, Record<string, string>>> = {
  unauthenticated: { 'WWW-Authenticate': 'Bearer' },
  unavailable: { 'Retry-After': '1' },
};

/**
 * Refuses.
 * @throws {ServiceError} always
 */
export function fail(code: ErrorCode, particulars: Particulars | string = {}): never {
  throw new ServiceError(code, typeof particulars === 'string' ? { detail: particulars } : particulars);
}

/** An answer names no more errors than these, and nothing at greater length, however much of either was sent. */
const mostErrors = 100;
const longestText = 300;

/**
 * Refuses values that were understood and do not fit, all at once (422).
 * @throws {ServiceError} always
 */
export function failValidation(found: readonly FieldError[]): never {
  const errors = found
    .slice(0, mostErrors)
    .map(({ field, code, message }) => ({ field: shortened(field), code, message: shortened(message) }));
  throw new ServiceError('validation_failed', {
    detail: errors.map(({ field, message }) => `${field}: ${message}`).join('; '),
    errors,
  });
}

function shortened(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText).toWellFormed()}…` : text;
}

/** What some work gives, or the refusal that it ends with. */
export async function orRefusal<Result>(work: () => Promise<Result>): Promise<Result | ServiceError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
