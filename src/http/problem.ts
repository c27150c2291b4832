// Problem details (RFC 9457), the form of every refusal outside GraphQL (docs/contract.md §5).
import type { Logger } from 'pino';
import { errorTable, type ErrorCode, type FieldError } from '../base/errors.ts';
import { redactTokensIn } from '../base/redaction.ts';
import { logFault, toServiceError } from './fault.ts';
import type { HttpResponse } from './messages.ts';

/** A refusal, such as a ServiceError. */
export interface ProblemSource {
  readonly code: ErrorCode;
  readonly status: number;
  /** The title of the code if absent. */
  readonly title?: string;
  readonly detail: string;
  readonly errors?: readonly FieldError[] | undefined;
  readonly missing?: string | undefined;
}

/** Builds the problem details of a refusal, with tokens redacted. */
export function buildProblemDetails(
  { code, status, title, detail, errors, missing }: ProblemSource,
  requestId: string,
): object {
  return redactTokensIn({
    type: `urn:entryway:problem:${code}`,
    title: title ?? errorTable[code].title,
    status,
    detail,
    code,
    request_id: requestId,
    ...(errors && { errors }),
    ...(missing !== undefined && { missing }),
  });
}

/** Answers a request with an error that its handling threw, and logs faults. */
export function sendProblem(response: HttpResponse, error: unknown, log: Logger): void {
  if (response.isAbandoned) return;
  const requestId = response.req.id;
  const refusal = toServiceError(error);
  logFault(log, refusal, { requestId });
  response.req.account.noteError(refusal);
  if (response.headersSent) {
    // A part of the response was sent: only the end of the connection shows that it is incomplete.
    response.req.socket.destroy();
    return;
  }
  response.setAll(refusal.headers);
  const body = JSON.stringify(buildProblemDetails(refusal, requestId));
  response.send(refusal.status, 'application/problem+json; charset=utf-8', body);
}

/**
 * Formats a refusal as a whole HTTP/1.1 response that closes the connection, for requests that never reach a handler.
 * @param isHead whether the request was HEAD, whose response has no body
 */
export function formatProblemResponse(problem: ProblemSource, requestId: string, isHead: boolean): string {
  const body = JSON.stringify(buildProblemDetails(problem, requestId));
  const { code, status, title = errorTable[code].title } = problem;
  return [
    `HTTP/1.1 ${status} ${title}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: private, no-cache',
    'Connection: close',
    '',
    isHead ? '' : body,
  ].join('\r\n');
}
