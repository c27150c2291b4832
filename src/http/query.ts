// The query string of a request: each parameter known, and sent once.
import { redactTokens } from '../redaction.ts';
import { fail } from '../errors.ts';
import { didYouMean, nearestName } from '../nearestName.ts';

/** Parameters by name. */
export type Query<Name extends string = string> = ReadonlyMap<Name, string>;

/**
 * The parameters of a URL: those that are known, and the others.
 * @throws bad_request where one is repeated, is not well encoded, or holds a token
 */
export function readQuery<Name extends string>(
  url: string,
  known: readonly Name[],
): { query: Query<Name>; others: Query } {
  const query = new Map<Name, string>();
  const others = new Map<string, string>();
  for (const [name, value] of parsed(url)) {
    if (holdsToken(name) || holdsToken(value)) fail('bad_request', 'A token has no place in a URL.');
    const parameter = known.find((each) => each === name);
    const isRepeated = parameter === undefined ? others.has(name) : query.has(parameter);
    if (isRepeated) fail('bad_request', `The parameter ${JSON.stringify(name)} is repeated.`);
    if (parameter === undefined) others.set(name, value);
    else query.set(parameter, value);
  }
  return { query, others };
}

/** Whether a text shows a token, now or once it is decoded again: links repeat what was sent. */
function holdsToken(text: string): boolean {
  if (redactTokens(text) !== text) return true;
  return text.includes('%') && isWellEncoded(text) && holdsToken(decodeURIComponent(text));
}

/**
 * @param known the names of the parameters that could be meant
 * @throws bad_request where there are parameters
 */
export function refuseUnknown(others: Query, known: readonly string[]): void {
  for (const name of others.keys()) {
    fail('bad_request', `${JSON.stringify(name)} is not a parameter here${didYouMean(nearestName(name, known))}`);
  }
}

/** URLSearchParams mends what is badly encoded; here it is refused. */
function parsed(url: string): URLSearchParams {
  const start = url.indexOf('?');
  const text = start === -1 ? '' : url.slice(start + 1);
  if (!isWellEncoded(text)) fail('bad_request', 'The query string is not well encoded.');
  return new URLSearchParams(text);
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
