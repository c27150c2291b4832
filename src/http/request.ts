// What every request has, whichever door it takes: an id, a line in the log, and the headers of every answer.
import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { tokenPattern } from '../redaction.ts';

/** A caller's request id is taken over where it is one that any log can hold. */
const sane = /^[\w.:+/=@-]{1,128}$/;

/** The id of a request. */
export function requestIdOf(response: Response): string {
  return response.locals['requestId'] as string;
}

/** Gives each request its id, and each answer the headers that hold for all (docs/contract.md §5). */
export function standingHeaders(): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const given = request.get('x-request-id') ?? '';
    const requestId = sane.test(given) && !given.match(tokenPattern) ? given : randomUUID();
    response.locals['requestId'] = requestId;
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('Cache-Control', 'private, no-cache');
    response.vary('Authorization, X-Service-Site, Session-Token, X-Service-Session-Token');
    next();
  };
}

/** Writes a line for each request: what was asked for (never its query or headers), how it ended, how long it took. */
export function requestLog(log: Logger): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const begun = performance.now();
    response.once('close', () => {
      const line = {
        requestId: requestIdOf(response),
        method: request.method,
        path: request.originalUrl.split('?', 1)[0],
        status: response.statusCode,
        milliseconds: Math.round(performance.now() - begun),
        ...(!response.writableFinished && { aborted: true }),
      };
      log.info(line, 'request');
    });
    next();
  };
}
