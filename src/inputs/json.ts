// Checks, before any other step, that the service can hold and store the JSON that callers send.
import type { Limits } from '../config/config.ts';
import { fail } from '../base/errors.ts';
import { refuseDepth, refuseValues } from './jsonText.ts';

/** A JSON object, as opposed to an array, a scalar or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Refuses arguments that nest too deep, hold too much, or contain in a name or text a NUL or an unpaired surrogate,
 * neither of which PostgreSQL can store. The value of each argument is at level 0, and the names of arguments do not
 * count. Large objects are refused, because an object of 50,000 members takes ten times as long to copy as ten of
 * 5,000.
 * @throws bad_request naming the path
 */
export function assertStorable(args: object, limits: Limits['json']): void {
  let values = 0;
  const count = (added: number): void => {
    values += added;
    if (values > limits.values) refuseValues(limits);
  };
  /** The path to the value being checked. It is joined to a text only for a refusal. */
  const path: (string | number)[] = [];
  const checkAt = (key: string | number, value: unknown): void => {
    path.push(key);
    if (typeof value === 'string' && !isStorableText(value)) assertStorableText(value, describePath(path));
    if (typeof value === 'object' && value !== null) checkMembers(value);
    path.pop();
  };
  const checkMembers = (value: object): void => {
    if (path.length > limits.depth) refuseDepth(limits);
    if (Array.isArray(value)) {
      count(value.length);
      for (const [index, item] of value.entries()) checkAt(index, item);
      return;
    }
    const names = Object.keys(value);
    if (names.length > limits.members) {
      fail('bad_request', `${describePath(path)} holds more than ${limits.members} members.`);
    }
    count(names.length);
    for (const name of names) {
      if (!isStorableText(name)) assertStorableText(name, `A name in ${describePath(path)}`);
      checkAt(name, (value as Record<string, unknown>)[name]);
    }
  };
  for (const [name, value] of Object.entries(args)) checkAt(name, value);
}

function describePath([argument = '', ...keys]: readonly (string | number)[]): string {
  return keys.reduce<string>((at, key) => at + (typeof key === 'number' ? `[${key}]` : `.${key}`), String(argument));
}

/** Refuses a text that PostgreSQL can't store. @throws bad_request naming the path */
export function assertStorableText(text: string, path: string): void {
  if (isStorableText(text)) return;
  fail('bad_request', `${path} holds ${text.includes('\0') ? 'a NUL character' : 'half of a surrogate pair'}.`);
}

function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The strings and numbers of a JSON text. */
const jsonTokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/** Matches every JSON text with an unsafe number, and few others: an id has such digits after a quote or a hyphen. */
export const mayHoldUnsafeNumber = /(?:^|[\s:,[])-?(?:\d{16}|\d+(?:\.\d+)?[eE])/;

/**
 * Parses JSON. A number that JavaScript would change is read as infinity, which cannot be stored: the checks of values
 * detect it with `hasFiniteNumbers`, and name its field.
 * @throws {SyntaxError} for a text that is not JSON
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!mayHoldUnsafeNumber.test(text)) return value;
  return JSON.parse(
    text.replace(jsonTokens, (token) => (!token.startsWith('"') && isUnsafeNumber(token) ? '1e400' : token)),
  );
}

/**
 * Whether JavaScript would read a number as a different one: a whole number beyond ±(2^53 - 1), a number of that size
 * whose digits change, or one beyond the range of a double. Fractions may be rounded.
 */
export function isUnsafeNumber(text: string): boolean {
  if (!(Math.abs(Number(text)) > Number.MAX_SAFE_INTEGER)) return false;
  return /^-?\d+$/.test(text) || isChangedNumber(text);
}

/** Whether the digits of a large number change when it is read. */
function isChangedNumber(text: string): boolean {
  const number = Number(text);
  return Math.abs(number) > Number.MAX_SAFE_INTEGER && significantDigits(text) !== significantDigits(String(number));
}

/** Extracts the digits of a number without leading and trailing zeros, the point and the exponent. */
function significantDigits(text: string): string {
  return text
    .replace(/[eE].*$/s, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');
}

/** Reads a number as `parseJson` does. */
export function readNumber(text: string): number {
  return isUnsafeNumber(text) ? Infinity : Number(text);
}

/** Finds the first number in a JSON text that JavaScript would read as a different one, as it is written. */
export function findUnsafeNumber(json: string): string | undefined {
  if (!mayHoldUnsafeNumber.test(json)) return undefined;
  return json.match(jsonTokens)?.find((token) => !token.startsWith('"') && isUnsafeNumber(token));
}

/**
 * Finds the first number in a JSON text whose digits change when it is read. A text written by the service has none:
 * its whole numbers beyond ±(2^53 - 1) are written as they were read.
 */
export function findChangedNumber(json: string): string | undefined {
  if (!mayHoldUnsafeNumber.test(json)) return undefined;
  return json.match(jsonTokens)?.find((token) => !token.startsWith('"') && isChangedNumber(token));
}

/**
 * Whether JSON nests deeper than a number of levels. Deeper levels are not visited, so that any depth is safe to check.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

/** The error message for a value with a number that cannot be stored. */
export const unstorableNumber =
  'holds a number that would be stored as another one: send a whole number beyond ±(2^53 - 1) as a text';

/** Whether JSON can represent every number in a value. `parseJson` reads the others as infinity. */
export function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(hasFiniteNumbers);
  return true;
}
