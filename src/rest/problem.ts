// Refusals of the REST door: RFC 9457 problem details (docs/contract.md §5).
import type { Response } from 'express';
import { errorTable, type ServiceError } from '../errors.ts';
import { discreet } from '../redaction.ts';
import { requestIdOf } from '../http/request.ts';

/** A refusal as problem details. */
export function problemOf({ code, status, detail, errors }: ServiceError, requestId: string): object {
  return discreet({
    type: `urn:entryway:problem:${code}`,
    title: errorTable[code].title,
    status,
    detail,
    code,
    request_id: requestId,
    ...(errors && { errors }),
  });
}

/** Answers with a refusal. */
export function sendProblem(response: Response, refusal: ServiceError): void {
  response.status(refusal.status).set(refusal.headers).type('application/problem+json');
  response.send(JSON.stringify(problemOf(refusal, requestIdOf(response))));
}
