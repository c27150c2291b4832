// What went wrong with a request: the service's problem document (RFC 9457), or that no answer came.
import { parseJson, readMembers, readRetryAfter, type FieldProblem } from '../../../clients/typescript/src/problem.ts';
import type { TextAnswer } from '../../../clients/typescript/src/transport.ts';

interface ProblemDetails {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly errors: readonly FieldProblem[];
  /** The right or the scope that is missing. */
  readonly missing: string | null;
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
    ...{
      status: 0,
      code: 'unreachable',
      title: 'No answer',
      requestId: null,
      errors: [],
      missing: null,
      retryAfter: null,
    },
    detail: 'The service did not answer. Check your connection, and whether the service runs.',
  });
}

/** The problem of an answer that is not a success, whatever its body holds. */
export function readProblem({ status, headers, text }: TextAnswer): Problem {
  const { code, title, detail, ...others } = readMembers(parseJson(text), headers);
  const wait = readRetryAfter(headers);
  return new Problem({
    ...others,
    status,
    code: code ?? 'unknown',
    title: title ?? `Status ${status}`,
    detail: detail ?? `The service answered with the status ${status}.`,
    retryAfter: wait === null ? null : wait / 1_000,
  });
}

/** Any error as a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new Problem({
    ...{
      status: 0,
      code: 'console',
      title: 'The console failed',
      requestId: null,
      errors: [],
      missing: null,
      retryAfter: null,
    },
    detail,
  });
}
