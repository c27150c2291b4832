// What went wrong with a request: the service's problem document (RFC 9457), or that no answer came.

export interface FieldProblem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

interface ProblemDetails {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly errors: readonly FieldProblem[];
  /** After how many seconds the request may be sent again; null: the answer does not say. */
  readonly retryAfter: number | null;
}

/** A request that failed. `status` is 0 if the service did not answer. */
export class Problem extends Error {
  readonly details: ProblemDetails;

  constructor(details: ProblemDetails) {
    super(details.detail);
    this.name = 'Problem';
    this.details = details;
  }

  get status(): number {
    return this.details.status;
  }
}

/** The problem that the service could not be reached. */
export function unreachable(): Problem {
  return new Problem({
    ...{ status: 0, code: 'unreachable', title: 'No answer', requestId: null, errors: [], retryAfter: null },
    detail: 'The service did not answer. Check your connection, and whether the service runs.',
  });
}

/** Reads the problem of an answer that is not a success, whatever its body holds. */
export async function readProblem(response: Response): Promise<Problem> {
  const sent: unknown = await response.json().catch(() => null);
  const body = (typeof sent === 'object' && sent !== null ? sent : {}) as Readonly<Record<string, unknown>>;
  const text = (name: string): string | null => (typeof body[name] === 'string' ? body[name] : null);
  const wait = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return new Problem({
    status: response.status,
    code: text('code') ?? 'unknown',
    title: text('title') ?? `Status ${response.status}`,
    detail: text('detail') ?? `The service answered with the status ${response.status}.`,
    requestId: text('request_id') ?? response.headers.get('X-Request-Id'),
    errors: Array.isArray(body['errors']) ? (body['errors'] as FieldProblem[]) : [],
    retryAfter: Number.isFinite(wait) ? wait : null,
  });
}

/** Any error as a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new Problem({
    ...{ status: 0, code: 'console', title: 'The console failed', requestId: null, errors: [], retryAfter: null },
    detail,
  });
}
