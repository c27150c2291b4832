// What is read of every request, whichever door it takes, and what every request gets: an id, a line in the log, and the
// headers of every answer.
import { randomUUID } from 'node:crypto';
import { type NextFunction, type Request, type RequestHandler, type Response, json } from 'express';
import type { Logger } from 'pino';
import { isUtf8 } from 'node:buffer';
import { tokenPattern, redactTokens } from '../redaction.ts';
import { fail } from '../errors.ts';
import { didYouMean, nearestName } from '../nearestName.ts';

/** A caller's request id is taken over where it is one that any log can hold. */
const sane = /^[\w.:+/=@-]{1,128}$/;

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Express names what handlers pass on in this namespace.
  namespace Express {
    interface Locals {
      /** The id of the request. */
      requestId: string;
    }
  }
}

/** Gives each request its id, and each answer the headers that hold for all (docs/contract.md §5). */
export function standingHeaders(): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const given = request.get('x-request-id') ?? '';
    const requestId = sane.test(given) && !given.match(tokenPattern) ? given : randomUUID();
    response.locals.requestId = requestId;
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
        requestId: response.locals.requestId,
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

/** Parameters by name. */
export type Query<Name extends string = string> = ReadonlyMap<Name, string>;

/**
 * The parameters of a URL: those that are known, and the others.
 * @param takesOthers whether there may be others
 * @throws bad_request where one is repeated, not known, not well encoded, or holds a token
 */
export function readQuery<Name extends string>(
  url: string,
  known: readonly Name[],
  takesOthers: boolean,
): { query: Query<Name>; others: Query } {
  const query = new Map<Name, string>();
  const others = new Map<string, string>();
  const start = url.indexOf('?');
  if (start === -1) return { query, others };
  const text = url.slice(start + 1);
  // URLSearchParams mends what is badly encoded; here it is refused.
  if (!isWellEncoded(text)) fail('bad_request', 'The query string is not well encoded.');
  for (const [name, value] of new URLSearchParams(text)) {
    if (holdsToken(name) || holdsToken(value)) fail('bad_request', 'A token has no place in a URL.');
    const parameter = known.find((each) => each === name);
    const isRepeated = parameter === undefined ? others.has(name) : query.has(parameter);
    if (isRepeated) fail('bad_request', `The parameter ${JSON.stringify(name)} is repeated.`);
    if (parameter === undefined) others.set(name, value);
    else query.set(parameter, value);
  }
  const [unknown] = takesOthers ? [] : others.keys();
  if (unknown !== undefined) {
    fail('bad_request', `${JSON.stringify(unknown)} is not a parameter here${didYouMean(nearestName(unknown, known))}`);
  }
  return { query, others };
}

/** Whether a text shows a token, now or once it is decoded again: links repeat what was sent. */
function holdsToken(text: string): boolean {
  if (redactTokens(text) !== text) return true;
  return text.includes('%') && isWellEncoded(text) && holdsToken(decodeURIComponent(text));
}

/** Whether each `%` begins an encoded byte, and the bytes are UTF-8 (RFC 3986 §2.1, §2.5). */
export function isWellEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Middleware that parses JSON bodies.
 * @param limit in bytes
 * @param type which requests have a JSON body; by default those with the media type application/json
 */
export function jsonBody({ limit, type }: { limit: number; type?: () => boolean }): RequestHandler {
  return json({
    ...(type && { type }),
    limit,
    verify: (_request, _response, bytes, charset) => {
      if (charset !== 'utf-8') fail('unsupported_media_type', 'Send the body in UTF-8.');
      if (bytes.length === 0) fail('bad_request', 'The body is empty.');
      if (!isUtf8(bytes)) fail('bad_request', 'The body is not UTF-8.');
    },
  });
}
