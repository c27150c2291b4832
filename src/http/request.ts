// What all requests have in common, to REST or GraphQL: an id, a line in the log, the headers of every response, and
// how query strings and JSON bodies are read.
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { type NextFunction, type Request, type RequestHandler, type Response, json } from 'express';
import type { Logger } from 'pino';
import type { Identity } from '../auth/identify.ts';
import { fail } from '../errors.ts';
import { didYouMean, nearestName } from '../nearestName.ts';
import { tokenPattern, redactTokens } from '../redaction.ts';

/** A caller's request id is used if it has this form, which is safe in any log. */
const requestIdShape = /^[\w.:+/=@-]{1,128}$/;

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Express declares what handlers pass on in this namespace.
  namespace Express {
    interface Locals {
      /** The id of the request. */
      requestId: string;
      /** Who sends the request, once that is known. */
      identity?: Identity;
    }
  }
}

/** Gives each request its id, and each response the headers that all responses have (docs/contract.md §5). */
export function standingHeaders(): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const given = request.get('x-request-id') ?? '';
    const requestId = requestIdShape.test(given) && !given.match(tokenPattern) ? given : randomUUID();
    response.locals.requestId = requestId;
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('Cache-Control', 'private, no-cache');
    response.vary('Authorization, X-Service-Site, Session-Token, X-Service-Session-Token');
    next();
  };
}

/** Logs a line for each request: its method and path (never its query or headers), its status, and how long it took. */
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

/** Query parameters by name. */
export type Query<Name extends string = string> = ReadonlyMap<Name, string>;

/**
 * Reads the query parameters of a URL.
 * @param known the names of the parameters that the path takes
 * @param takesOthers whether there may be parameters with other names
 * @returns the known parameters, and the others
 * @throws bad_request if a parameter is repeated, unknown or not well encoded, or contains a token
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
  // URLSearchParams would silently repair what is badly encoded.
  if (!isWellEncoded(text)) fail('bad_request', 'The query string must be percent-encoded UTF-8.');
  for (const [name, value] of new URLSearchParams(text)) {
    if (holdsToken(name) || holdsToken(value)) fail('bad_request', 'The URL contains a token: send it in a header.');
    const parameter = known.find((each) => each === name);
    const isRepeated = parameter === undefined ? others.has(name) : query.has(parameter);
    if (isRepeated) fail('bad_request', `The parameter ${JSON.stringify(name)} is repeated. Send it once.`);
    if (parameter === undefined) others.set(name, value);
    else query.set(parameter, value);
  }
  const [unknown] = takesOthers ? [] : others.keys();
  if (unknown !== undefined) {
    fail('bad_request', `${JSON.stringify(unknown)} is not a parameter here${didYouMean(nearestName(unknown, known))}`);
  }
  return { query, others };
}

/** How often a text may be percent-encoded over: each time costs the time to decode it. */
const maxEncodings = 10;

/** Whether a text contains a token, also if it is percent-encoded several times: links in responses repeat what was sent. */
function holdsToken(text: string): boolean {
  let decoded = text;
  for (let times = 0; times <= maxEncodings; times += 1) {
    if (redactTokens(decoded) !== decoded) return true;
    if (!decoded.includes('%') || !isWellEncoded(decoded)) return false;
    decoded = decodeURIComponent(decoded);
  }
  fail('bad_request', `A parameter is percent-encoded more than ${maxEncodings} times.`);
}

/** Whether each `%` begins a percent-encoded byte, and the bytes are UTF-8 (RFC 3986 §2.1, §2.5). */
export function isWellEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Creates middleware that parses JSON bodies. It refuses those that are empty or not in UTF-8.
 * @param limit the maximum size of a body, in bytes
 * @param type which requests have a JSON body; by default those with the media type application/json
 */
export function jsonBody({ limit, type }: { limit: number; type?: () => boolean }): RequestHandler {
  return json({
    ...(type && { type }),
    limit,
    verify: (_request, _response, bytes, charset) => {
      if (charset !== 'utf-8') fail('unsupported_media_type', 'Send the body in UTF-8.');
      if (bytes.length === 0) fail('bad_request', 'The body is empty. Send JSON.');
      if (!isUtf8(bytes)) fail('bad_request', 'The body is not UTF-8.');
    },
  });
}
