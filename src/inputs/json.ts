// What can't be stored or compared as text, wherever it stands in an input: found before anything else is done with it.
import type { Limits } from '../config.ts';
import { fail } from '../errors.ts';

/** A JSON object, as opposed to an array, a scalar or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Refuses an input that holds, in any key or string, a NUL or half a surrogate pair (PostgreSQL stores neither), that
 * nests too deep, or that holds too much.
 * @param path what the input is called in the refusal
 * @throws bad_request naming where
 */
export function assertStorable(input: unknown, limits: Limits['json'], path = 'input'): void {
  let values = 0;
  const check = (value: unknown, at: string, depth: number): void => {
    if (typeof value === 'string') checkText(value, at);
    if (typeof value !== 'object' || value === null) return;
    if (depth >= limits.depth) fail('bad_request', `The input nests deeper than ${limits.depth} levels.`);
    for (const [key, member] of Object.entries(value)) {
      values += 1;
      if (values > limits.values) fail('bad_request', `The input holds more than ${limits.values} members and items.`);
      checkText(key, `A name in ${at}`);
      check(member, Array.isArray(value) ? `${at}[${key}]` : `${at}.${key}`, depth + 1);
    }
  };
  check(input, path, 0);
}

/** Refuses a text that PostgreSQL can't store. @throws bad_request naming where */
export function checkText(text: string, path: string): void {
  if (text.includes('\0')) fail('bad_request', `${path} holds a NUL character.`);
  if (!text.isWellFormed()) fail('bad_request', `${path} holds half of a surrogate pair.`);
}

/** Whether every number in a value is one that JSON can hold: 1e400 reads as infinity. */
export function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(hasFiniteNumbers);
  return true;
}
