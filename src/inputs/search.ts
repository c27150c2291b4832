// `q`, `search`: the text that a list is searched for (docs/contract.md §5, §7).
import { fail } from '../errors.ts';
import { assertStorableText } from './json.ts';

/** The longest search, in characters. */
const longest = 1_000;

/**
 * The text that is searched for, or null where there is none.
 * @param name what the caller calls it
 * @throws bad_request where it is empty or too long
 */
export function readSearch(text: string | null | undefined, name: 'q' | 'search'): string | null {
  if (text === null || text === undefined) return null;
  assertStorableText(text, name);
  // Characters are one or two units: what is far too long is not counted.
  const length = text.length > longest * 2 ? text.length : Array.from(text).length;
  if (length < 1 || length > longest) fail('bad_request', `${name}: has 1 to 1,000 characters.`);
  return text;
}
