// Reads query strings and JSON bodies, for both doors.
import { isUtf8 } from 'node:buffer';
import { MIMEType, promisify } from 'node:util';
import { raw } from 'express';
import { fail } from '../base/errors.ts';
import type { Limits } from '../config/config.ts';
import { parseJson } from '../inputs/json.ts';
import { countJson } from '../inputs/jsonText.ts';
import { lookAlikes } from '../inputs/lists/listParameters.ts';
import { didYouMean, nearestName } from '../base/nearestName.ts';
import { redactTokens } from '../base/redaction.ts';
import type { RequestAdmission } from '../admission/admission.ts';
import type { CallerShares } from '../admission/shares.ts';
import type { HttpRequest, HttpResponse } from './messages.ts';

/** Query parameters by name. */
export type Query<Name extends string = string> = ReadonlyMap<Name, string>;

/**
 * Reads the query parameters of a URL.
 * @param known the names of the parameters that the path takes
 * @param takesOthers whether parameters with other names are allowed
 * @returns the known parameters, and the others
 * @throws bad_request if a parameter is repeated, unknown or badly encoded, or contains a token
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
  // URLSearchParams would silently repair bad encoding.
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

/** The parameter that a name stands for in other services, or the nearest one. */
function nearestParameter(name: string, known: readonly string[]): string | null {
  const meant = lookAlikes.get(name);
  return meant !== undefined && known.includes(meant) ? meant : nearestName(name, known);
}

/** The deepest repeated percent-encoding that is searched for tokens: each level costs the time to decode it. */
const maxEncodings = 10;

/**
 * Whether a text contains a token, also if it is percent-encoded several times: links in responses repeat parts of the
 * request.
 */
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
 * Refuses a method that a path does not support (RFC 9110 §15.5.6).
 * @param allow the methods that the path supports, as the header `Allow` lists them
 * @throws method_not_allowed always
 */
export function refuseMethod(allow: string): never {
  fail('method_not_allowed', { detail: `This path supports only these methods: ${allow}.`, headers: { Allow: allow } });
}

/**
 * Answers OPTIONS with the methods of a path, without a token, and refuses each method that no other handler of it took.
 * @param allow as `refuseMethod`
 * @throws method_not_allowed
 */
export function answerOtherMethods({ method }: HttpRequest, response: HttpResponse, allow: string): void {
  if (method !== 'OPTIONS') refuseMethod(allow);
  response.setHeader('Allow', allow);
  response.sendNothing(204);
}

/** The slots that reading a body waits for. */
export type BodyAdmission = Pick<RequestAdmission, 'enterValues'> & {
  readonly shares: Pick<CallerShares, 'readAlone'>;
};

/** The size below which a body is counted at once, in bytes: that takes less than a millisecond. */
const countedAtOnce = 65_536;

/**
 * Creates a function that reads the JSON body of a request. It refuses bodies that are empty, not in UTF-8 or not JSON
 * and, before parsing, bodies that nest too deep or hold too many values.
 * @param type which requests have a JSON body; by default those with the media type application/json
 */
export function bodyReader(
  limits: Pick<Limits, 'body' | 'json'>,
  type: string | (() => boolean) = 'application/json',
): (request: HttpRequest, response: HttpResponse, admission: BodyAdmission) => Promise<void> {
  const read: (request: HttpRequest, response: HttpResponse) => Promise<void> = promisify(
    raw({ type, limit: limits.body }),
  );
  return async (request, response, admission) => {
    await read(request, response);
    const { body: bytes } = request;
    if (!(bytes instanceof Uint8Array)) return;
    if (charsetOf(request) !== 'utf-8') fail('unsupported_media_type', 'Send the body in UTF-8.');
    if (bytes.length === 0) fail('bad_request', 'The body is empty. Send JSON.');
    if (!isUtf8(bytes)) fail('bad_request', 'The body is not UTF-8.');
    const count = (): number => countJson(bytes, limits.json);
    const values = bytes.length < countedAtOnce ? count() : await admission.shares.readAlone(count);
    await admission.enterValues(values);
    request.body = parseBody(utf8.decode(bytes));
  };
}

/** Drops a byte order mark. */
const utf8 = new TextDecoder();

/** The character set of a request's body, in small letters; UTF-8 if the media type names none (RFC 8259 §8.1). */
function charsetOf({ headers }: HttpRequest): string {
  const { 'content-type': type = 'application/json' } = headers;
  if (type === 'application/json') return 'utf-8';
  try {
    return new MIMEType(type).params.get('charset')?.toLowerCase() ?? 'utf-8';
  } catch {
    return 'utf-8';
  }
}

/** @param text without a byte order mark @throws bad_request if a text is not JSON, or neither object nor array */
function parseBody(text: string): unknown {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    fail('bad_request', 'The body is not JSON.');
  }
  if (typeof value !== 'object' || value === null) fail('bad_request', 'The body must be a JSON object.');
  return value;
}
