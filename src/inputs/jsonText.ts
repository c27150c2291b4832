// Counts the values in a JSON text before it is parsed: a parsed value may take 28 times the memory of its text, and
// parsing a megabyte of brackets a tenth of a second.
import type { Limits } from '../config/config.ts';
import { fail } from '../base/errors.ts';

const [quote, backslash, comma, colon, openingBrace, openingBracket, closingBracket] = Buffer.from('"\\,:{[]');
const [space, tab, lineFeed, carriageReturn] = Buffer.from(' \t\n\r');

/** By byte: whether it counts, outside of strings. No byte of a multi-byte character of UTF-8 is among these. */
const marks = new Uint8Array(256);
for (const byte of Buffer.from('",:{}[]')) marks[byte] = 1;

/** Replaces the count of members if the innermost container is an array. */
const inArray = -1;

/**
 * Counts the members and items of a JSON text, and refuses a text that would exceed a limit once it is parsed. The
 * outermost level and its members are not counted, because they may be the arguments of an operation, and an object may
 * have up to twice the allowed number of members: `assertStorable` checks the parsed value precisely, and can name the
 * path. In a text that is not JSON it counts at least up to the point where the parser fails.
 * @param text in UTF-8
 * @param what names the text in a refusal
 * @returns the number of members and items; 0 for a text that is too short to exceed a limit
 * @throws bad_request for a text that nests too deep, or holds too much
 */
export function countJson(text: Uint8Array, limits: Limits['json'], what = 'The body'): number {
  const { length } = text;
  const maxMembers = 2 * limits.members;
  if (length < 2 * Math.min(limits.depth, limits.members, limits.values)) return 0;
  /** The number of members of each enclosing container at the point where the inner one began. */
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
      // A non-empty array has one item more than commas.
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

/** Bytes of a string to compare one by one before calling `indexOf`, a call that costs as much as some dozens. */
const maxNear = 48;

/**
 * Finds the closing quote of a string.
 * @param start the index of its first character
 * @returns the text's length if there is none
 */
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
