// JSON that callers send: whether the service can hold and store it. Checked before anything else is done with an input.
import type { Limits } from '../config.ts';
import { fail } from '../errors.ts';

/** A JSON object, as opposed to an array, a scalar or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Throws where an input nests too deep, has too many members and items, or has a key or string that PostgreSQL cannot store.
 * @param path what the message calls the input
 * @throws bad_request naming the place
 */
export function assertStorable(input: unknown, limits: Limits['json'], path = 'input'): void {
  let values = 0;
  const visit = (value: unknown, at: string, depth: number): void => {
    if (typeof value === 'string') checkText(value, at);
    if (typeof value !== 'object' || value === null) return;
    if (depth >= limits.depth) fail('bad_request', `The input nests deeper than ${limits.depth} levels.`);
    for (const [key, member] of Object.entries(value)) {
      values += 1;
      if (values > limits.values) fail('bad_request', `The input holds more than ${limits.values} members and items.`);
      checkText(key, `A name in ${at}`);
      visit(member, Array.isArray(value) ? `${at}[${key}]` : `${at}.${key}`, depth + 1);
    }
  };
  visit(input, path, 0);
}

/** Throws where a text has a NUL or half of a surrogate pair, neither of which PostgreSQL stores. @throws bad_request */
export function checkText(text: string, path: string): void {
  if (text.includes('\0')) fail('bad_request', `${path} holds a NUL character.`);
  if (!text.isWellFormed()) fail('bad_request', `${path} holds half of a surrogate pair.`);
}

/** Whether JSON can write every number in a value: 1e400 is read as infinity, which it cannot. */
export function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(hasFiniteNumbers);
  return true;
}
