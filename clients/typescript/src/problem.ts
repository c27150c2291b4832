// The one error of the client: what the service answers to a request that it refuses, or that it could not be asked.

/** What is wrong with one member of a request. */
export interface FieldProblem {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** Problem details (RFC 9457), as the service writes them. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly request_id: string;
  readonly errors?: readonly FieldProblem[];
}

/** A request failed. An abort is not one of these: it throws the reason of its signal. */
export class EntrywayError extends Error {
  override readonly name = 'EntrywayError';
  /** The HTTP status; 0 where no answer came. */
  readonly status: number;
  /**
   * The code of the problem, such as `not_found`. `unreachable`: no answer came, `unexpected`: one that is not of the service,
   * as proxies send.
   */
  readonly code: string;
  /** What is wrong with each member that was sent; empty where it is not about members. */
  readonly errors: readonly FieldProblem[];
  /** By this name the service's log has the request. */
  readonly requestId: string | null;
  /** The whole of what the service says; null where it says nothing. */
  readonly problem: Problem | null;
  /** After how many milliseconds the service would be asked again; null where it does not say so. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    {
      status = 0,
      code,
      problem = null,
      requestId = null,
      retryAfter = null,
      cause,
    }: {
      readonly status?: number;
      readonly code: string;
      readonly problem?: Problem | null;
      readonly requestId?: string | null;
      readonly retryAfter?: number | null;
      readonly cause?: unknown;
    },
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.errors = problem?.errors ?? [];
    this.problem = problem;
    this.requestId = problem?.request_id ?? requestId;
    this.retryAfter = retryAfter;
  }
}

/** The error that an answer stands for. */
export function readProblem({ status, headers, text }: Refused): EntrywayError {
  const body = parseJson(text);
  const { code, detail, requestId } = readMembers(body, headers);
  const retryAfter = readRetryAfter(headers);
  if (code === null || detail === null) {
    const message = `The answer has the status ${status} and is not of Entryway.`;
    return new EntrywayError(message, { status, code: 'unexpected', requestId, retryAfter });
  }
  return new EntrywayError(detail, { status, code, problem: body as Problem, requestId, retryAfter });
}

interface Refused {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What an answer says of a problem, as far as it does: it may be one of a proxy. */
export interface ProblemMembers {
  readonly code: string | null;
  readonly title: string | null;
  readonly detail: string | null;
  readonly requestId: string | null;
  readonly errors: readonly FieldProblem[];
  /** The right or the scope that is missing. */
  readonly missing: string | null;
}

/** The members of a problem document. @param body what was parsed of it */
export function readMembers(body: unknown, headers?: Headers): ProblemMembers {
  const members = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  const text = (name: string): string | null => (typeof members[name] === 'string' ? members[name] : null);
  return {
    code: text('code'),
    title: text('title'),
    detail: text('detail'),
    requestId: text('request_id') ?? headers?.get('X-Request-Id') ?? null,
    missing: text('missing'),
    errors: Array.isArray(members['errors']) ? (members['errors'] as FieldProblem[]) : [],
  };
}

/** What a text of JSON holds; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `Retry-After` in milliseconds: seconds, or a date (RFC 9110 §10.2.3). Null where it is absent or malformed. */
export function readRetryAfter(headers: Headers): number | null {
  const text = headers.get('Retry-After')?.trim() ?? '';
  if (text === '') return null;
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
}
