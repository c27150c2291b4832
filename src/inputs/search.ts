// Reads the text that a list is searched for: `q` in REST, `search` in GraphQL (docs/contract.md §5, §7).
import { fail } from '../errors.ts';
import { assertStorableText } from './json.ts';

/** The longest search, in characters. */
const longest = 1_000;

/**
 * The text that is searched for, or null where there is none.
 * @param name its name at the caller's door
 * @throws bad_request where it is empty or too long
 */
export function readSearch(text: string | null | undefined, name: 'q' | 'search'): string | null {
  if (text === null || text === undefined) return null;
  assertStorableText(text, name);
  // A character is one or two units of UTF-16. Texts that are far too long need not be counted.
  const length = text.length > longest * 2 ? text.length : Array.from(text).length;
  if (length < 1 || length > longest) fail('bad_request', `${name} must have 1 to 1,000 characters.`);
  return text;
}
