// What can't be stored or compared as text, wherever it stands in an input: found before anything else is done with it.
import { fail } from '../errors.ts';

/** How deep an input may nest: far beyond any content, far below what breaks a parser. */
const deepest = 100;

/** A JSON object, as opposed to an array, a scalar or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Refuses an input that holds, in any key or string, a NUL or half a surrogate pair (PostgreSQL stores neither), or
 * that nests too deep.
 * @throws bad_request naming where
 */
export function checkText(value: unknown, path = 'input', depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) fail('bad_request', `${path} holds a NUL character.`);
    if (!value.isWellFormed()) fail('bad_request', `${path} holds half of a surrogate pair.`);
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= deepest) fail('bad_request', `The input nests deeper than ${deepest} levels.`);
    for (const [key, member] of Object.entries(value)) {
      checkText(key, `A name in ${path}`);
      checkText(member, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, depth + 1);
    }
  }
}

/** Whether every number in a value is one that JSON can hold: 1e400 reads as infinity. */
export function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(hasFiniteNumbers);
  return true;
}
