// Counts what a JSON text holds before it is parsed: a parsed value may take 28 times the memory of its text, and a megabyte of
// brackets a tenth of a second.
import type { Limits } from '../config/config.ts';
import { fail } from '../base/errors.ts';

const [quote, backslash, comma, colon, openingBrace, openingBracket, closingBracket] = Buffer.from('"\\,:{[]');
const [space, tab, lineFeed, carriageReturn] = Buffer.from(' \t\n\r');

/** By byte: whether it counts, outside of strings. No byte of a longer character of UTF-8 is among these. */
const marks = new Uint8Array(256);
for (const byte of Buffer.from('",:{}[]')) marks[byte] = 1;

/** Stands in place of a count of members where the innermost container is an array. */
const inArray = -1;

/**
 * Counts the members and items of a JSON text, and refuses a text that would pass a limit once it is parsed. The outermost level and
 * its members are not counted, because they may be the arguments of an operation, and an object may have up to twice as many members
 * as are allowed: `assertStorable` looks at all that comes within these bounds, and can say where it is. Of a text that is not JSON
 * it counts at least what the parser reads before it refuses the text.
 * @param text in UTF-8
 * @param what names the text in a refusal
 * @returns the number of members and items; 0 for a text that is too short to pass a limit
 * @throws bad_request for a text that nests too deep, or holds too much
 */
export function countJson(text: Uint8Array, limits: Limits['json'], what = 'The body'): number {
  const { length } = text;
  const maxMembers = 2 * limits.members;
  if (length < 2 * Math.min(limits.depth, limits.members, limits.values)) return 0;
  /** For each container around the innermost one: how many members it had when it was left. */
  const around: number[] = [];
  let members = inArray;
  let values = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = text[at] ?? 0;
    if (marks[byte] === 0) continue;
    if (byte === quote) {
      at = findEndOfString(text, at + 1);
      continue;
    }
    if (byte === comma) {
      if (members === inArray) values += 1;
    } else if (byte === colon) {
      members += 1;
      if (around.length > 1) values += 1;
    } else if (byte === openingBrace || byte === openingBracket) {
      around.push(members);
      members = byte === openingBrace ? 0 : inArray;
      // An array has one item more than commas, unless it is empty.
      if (byte === openingBracket && text[skipBlanks(text, at + 1)] !== closingBracket) values += 1;
    } else members = around.pop() ?? inArray;
    if (around.length > limits.depth + 1) refuseDepth(limits);
    if (values > limits.values) refuseValues(limits);
    if (members > maxMembers) fail('bad_request', `${what} holds more than ${limits.members} members in one object.`);
  }
  return values;
}

/** @throws bad_request always */
export function refuseDepth({ depth }: Limits['json']): never {
  fail('bad_request', `The input nests deeper than ${depth} levels.`);
}

/** @throws bad_request always */
export function refuseValues({ values }: Limits['json']): never {
  fail('bad_request', `The input holds more than ${values} members and items.`);
}

/** So many bytes of a string are looked at one by one before `indexOf` is called, which costs as much as some dozens. */
const maxNear = 48;

/** Finds the quote that ends a string. @param start where its first character is @returns the text's length if there is none */
function findEndOfString(text: Uint8Array, start: number): number {
  for (let at = start; ;) {
    const far = Math.min(at + maxNear, text.length);
    while (at < far) {
      if (text[at] === quote) return at;
      at += text[at] === backslash ? 2 : 1;
    }
    const end = text.indexOf(quote ?? 0, at);
    if (end === -1) return text.length;
    let escapes = end;
    while (escapes > at && text[escapes - 1] === backslash) escapes -= 1;
    // Two backslashes stand for one, and a third escapes the quote.
    if ((end - escapes) % 2 === 0) return end;
    at = end + 1;
  }
}

function skipBlanks(text: Uint8Array, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const byte = text[at];
    if (byte !== space && byte !== lineFeed && byte !== carriageReturn && byte !== tab) break;
  }
  return at;
}
