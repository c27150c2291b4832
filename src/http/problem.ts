// Problem details (RFC 9457), the form of every refusal outside GraphQL (docs/contract.md §5).
import type { Response } from 'express';
import { errorTable, type ErrorCode, type FieldError, type ServiceError } from '../errors.ts';
import { redactTokensIn } from '../redaction.ts';

/** A refusal to be reported, such as a ServiceError. */
export interface ProblemSource {
  readonly code: ErrorCode;
  readonly status: number;
  /** Absent: the title of the code. */
  readonly title?: string;
  readonly detail: string;
  readonly errors?: readonly FieldError[] | undefined;
}

/** Builds the problem details of a refusal, with tokens redacted. */
export function buildProblemDetails({ code, status, title, detail, errors }: ProblemSource, requestId: string): object {
  return redactTokensIn({
    type: `urn:entryway:problem:${code}`,
    title: title ?? errorTable[code].title,
    status,
    detail,
    code,
    request_id: requestId,
    ...(errors && { errors }),
  });
}

/** Answers a request with a refusal. */
export function sendProblem(response: Response, refusal: ServiceError): void {
  response.status(refusal.status).set(refusal.headers).type('application/problem+json');
  response.send(JSON.stringify(buildProblemDetails(refusal, response.locals.requestId)));
}

/**
 * Formats a refusal as a whole HTTP/1.1 response that closes the connection, for requests that never reach Express.
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
