// Texts as values of fields and settings: their length and their normalization.
import { z } from 'zod';

/** The length of a text as people and PostgreSQL count it: in code points. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Whether a text has more than a number of characters. A text that is far too long is not counted. */
export function isLongerThan(text: string, most: number): boolean {
  // A character takes one or two units of UTF-16.
  return text.length > most && (text.length > most * 2 || countCharacters(text) > most);
}

/**
 * Adds a maximum length in characters to a schema. zod's own bound counts units of UTF-16; JSON Schema's counts
 * characters.
 */
export function upTo<Schema extends z.ZodType<string, string>>(schema: Schema, most: number): Schema {
  const message = `must have at most ${most.toLocaleString('en')} characters`;
  return schema.refine((text) => !isLongerThan(text, most), message).meta({ maxLength: most });
}

/** More marks in a row than a stream-safe text has (UAX #15, "Stream-Safe Text Format"). */
const longRunOfMarks = /(?<!\p{M})\p{M}{31}/u;

/**
 * Converts a text to Unicode normalization form C. A text with more than 30 marks in a row stays as it is, because
 * normalization sorts them in time that is quadratic in their number.
 */
export function inNfc(text: string): string {
  return isAscii(text) || longRunOfMarks.test(text) ? text : text.normalize('NFC');
}

/**
 * A schema of texts of one line, which are stored in Unicode normalization form C (docs/contract.md §6.4). Checks that
 * are added to it receive this form.
 */
export function lineOfText(error: z.core.$ZodStringParams | string = {}): z.ZodString {
  return z.string(error).overwrite(inNfc);
}

/** Whether a text consists of ASCII characters. Every other character takes more than one byte in UTF-8. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
