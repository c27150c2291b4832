// Refusals of the REST door: RFC 9457 problem details (contract §5).
import type { Response } from 'express';
import { errorTable, type ServiceError } from '../errors.ts';
import { discreet } from '../http/discreet.ts';
import { requestIdOf } from '../http/request.ts';

/** Answers with a refusal. */
export function sendProblem(response: Response, refusal: ServiceError): void {
  const { code, status, detail, errors, headers } = refusal;
  response.status(status).set(headers).type('application/problem+json');
  response.send(
    JSON.stringify(
      discreet({
        type: `urn:entryway:problem:${code}`,
        title: errorTable[code].title,
        status,
        detail,
        code,
        request_id: requestIdOf(response),
        ...(errors && { errors }),
      }),
    ),
  );
}
