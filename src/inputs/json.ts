// Checks that the service can hold and store the JSON that callers send, before anything else is done with it.
import type { Limits } from '../config.ts';
import { fail } from '../errors.ts';

/** A JSON object, as opposed to an array, a scalar or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Refuses arguments that nest too deep, hold too much, or hold in any name or text a NUL or half a surrogate pair, neither of
 * which PostgreSQL can store. The value of each argument is at level 0, and the names of arguments do not count.
 * @throws bad_request naming where
 */
export function assertStorable(args: object, limits: Limits['json']): void {
  let values = 0;
  const check = (value: unknown, at: string, depth: number): void => {
    if (typeof value === 'string') assertStorableText(value, at);
    if (typeof value !== 'object' || value === null) return;
    if (depth >= limits.depth) fail('bad_request', `The input nests deeper than ${limits.depth} levels.`);
    for (const [key, member] of Object.entries(value)) {
      values += 1;
      if (values > limits.values) fail('bad_request', `The input holds more than ${limits.values} members and items.`);
      assertStorableText(key, `A name in ${at}`);
      check(member, Array.isArray(value) ? `${at}[${key}]` : `${at}.${key}`, depth + 1);
    }
  };
  for (const [name, value] of Object.entries(args)) check(value, name, 0);
}

/** Refuses a text that PostgreSQL can't store. @throws bad_request naming where */
export function assertStorableText(text: string, path: string): void {
  if (text.includes('\0')) fail('bad_request', `${path} holds a NUL character.`);
  if (!text.isWellFormed()) fail('bad_request', `${path} holds half of a surrogate pair.`);
}

/** Whether JSON can write every number in a value: 1e400 is read as infinity, which it cannot. */
export function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(hasFiniteNumbers);
  return true;
}
