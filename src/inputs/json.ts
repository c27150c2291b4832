// Checks that the service can hold and store the JSON that callers send, before anything else is done with it.
import type { Limits } from '../config/config.ts';
import { fail } from '../base/errors.ts';
import { refuseDepth, refuseValues } from './jsonText.ts';

/** A JSON object, as opposed to an array, a scalar or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Refuses arguments that nest too deep, hold too much, or hold in any name or text a NUL or half a surrogate pair, neither of
 * which PostgreSQL can store. The value of each argument is at level 0, and the names of arguments do not count. Large
 * objects are refused, because an object of 50,000 members takes ten times as long to copy as ten of 5,000.
 * @throws bad_request naming where
 */
export function assertStorable(args: object, limits: Limits['json']): void {
  let values = 0;
  const count = (added: number): void => {
    values += added;
    if (values > limits.values) refuseValues(limits);
  };
  /** The names and indices that lead to the value that is checked; they become a text only for a refusal. */
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

/** Refuses a text that PostgreSQL can't store. @throws bad_request naming where */
export function assertStorableText(text: string, path: string): void {
  if (isStorableText(text)) return;
  fail('bad_request', `${path} holds ${text.includes('\0') ? 'a NUL character' : 'half of a surrogate pair'}.`);
}

function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The strings and numbers of a JSON text. */
const jsonTokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/** What every JSON text matches that holds an unsafe number, and few others: an id has such digits after a quote or a hyphen. */
export const mayHoldUnsafeNumber = /(?:^|[\s:,[])-?(?:\d{16}|\d+(?:\.\d+)?[eE])/;

/**
 * Parses JSON. A number that would be read as another one is read as infinity, which cannot be stored: the
 * checks of values find it with `hasFiniteNumbers`, and name its field.
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
 * Whether JavaScript would read a number as quite another one: a whole number beyond ±(2^53 - 1), a number of that size that
 * has other digits once it is read, or one beyond all that a double can hold. Fractions are rounded, and no reason to refuse a
 * number.
 */
export function isUnsafeNumber(text: string): boolean {
  if (!(Math.abs(Number(text)) > Number.MAX_SAFE_INTEGER)) return false;
  return /^-?\d+$/.test(text) || isChangedNumber(text);
}

/** Whether a large number has other digits once it is read. */
function isChangedNumber(text: string): boolean {
  const number = Number(text);
  return Math.abs(number) > Number.MAX_SAFE_INTEGER && significantDigits(text) !== significantDigits(String(number));
}

/** The digits of a number without zeros around them, the point and the exponent. */
function significantDigits(text: string): string {
  return text
    .replace(/[eE].*$/s, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');
}

/** Reads the number of a text as `parseJson` does. */
export function readNumber(text: string): number {
  return isUnsafeNumber(text) ? Infinity : Number(text);
}

/** The first number of a JSON text that JavaScript would read as another one, as it is written. */
export function findUnsafeNumber(json: string): string | undefined {
  if (!mayHoldUnsafeNumber.test(json)) return undefined;
  return json.match(jsonTokens)?.find((token) => !token.startsWith('"') && isUnsafeNumber(token));
}

/**
 * The first number of a JSON text that has other digits once it is read. A text that the service has written has none: there
 * even whole numbers beyond ±(2^53 - 1) are as they were read.
 */
export function findChangedNumber(json: string): string | undefined {
  if (!mayHoldUnsafeNumber.test(json)) return undefined;
  return json.match(jsonTokens)?.find((token) => !token.startsWith('"') && isChangedNumber(token));
}

/** Whether JSON nests deeper than some levels. Those below them are not looked at, so that any depth can be asked about. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

/** What is wrong with a value that holds such a number. */
export const unstorableNumber =
  'holds a number that would be stored as another one: send a whole number beyond ±(2^53 - 1) as a text';

/** Whether JSON can write every number in a value. `parseJson` reads those that it cannot hold as infinity. */
export function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(hasFiniteNumbers);
  return true;
}
