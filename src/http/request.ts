// How query strings and JSON bodies are read, for both doors.
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { json } from 'express';
import { fail } from '../errors.ts';
import { hasLargeObject, mayHoldUnsafeNumber, parseJson } from '../inputs/json.ts';
import { lookAlikes } from '../inputs/listParameters.ts';
import { didYouMean, nearestName } from '../nearestName.ts';
import { redactTokens } from '../redaction.ts';
import type { HttpRequest, HttpResponse } from './messages.ts';

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
    fail(
      'bad_request',
      `${JSON.stringify(unknown)} is not a parameter here${didYouMean(nearestParameter(unknown, known))}`,
    );
  }
  return { query, others };
}

/** The parameter that a name stands for at other services, or the nearest one. */
function nearestParameter(name: string, known: readonly string[]): string | null {
  const meant = lookAlikes.get(name);
  return meant !== undefined && known.includes(meant) ? meant : nearestName(name, known);
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
 * Creates a function that reads the JSON body of a request. It refuses those that are empty, not in UTF-8, or have a large object.
 * @param limit the maximum size of a body, in bytes
 * @param maxMembers how many members an object may have
 * @param type which requests have a JSON body; by default those with the media type application/json
 */
export function bodyReader({
  maxMembers,
  ...options
}: {
  limit: number;
  maxMembers: number;
  type?: () => boolean;
}): (request: HttpRequest, response: HttpResponse) => Promise<void> {
  /** The bodies with numbers that JSON.parse would read as others. */
  const texts = new WeakMap<object, string>();
  const read: (request: HttpRequest, response: HttpResponse) => Promise<void> = promisify(
    json({
      ...options,
      verify: (request, _response, bytes, charset) => {
        if (charset !== 'utf-8') fail('unsupported_media_type', 'Send the body in UTF-8.');
        if (bytes.length === 0) fail('bad_request', 'The body is empty. Send JSON.');
        if (!isUtf8(bytes)) fail('bad_request', 'The body is not UTF-8.');
        // Up to twice as many are refused once the body is parsed, with the place where they are.
        if (hasLargeObject(bytes, 2 * maxMembers))
          fail('bad_request', `The body holds more than ${maxMembers} members in one object.`);
        // The parser takes no notice of a byte order mark.
        const text = bytes.toString().replace(/^\uFEFF/, '');
        if (mayHoldUnsafeNumber.test(text)) texts.set(request, text);
      },
    }),
  );
  return async (request, response) => {
    await read(request, response);
    const text = texts.get(request);
    if (text !== undefined) request.body = parseJson(text);
  };
}
