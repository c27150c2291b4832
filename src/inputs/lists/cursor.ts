// Makes and reads cursors: an opaque place in one list in one order. A cursor contains a fingerprint of its list and a
// checksum, so that a cursor of another list, or one that was edited, is recognised. It grants nothing: it contains the sort
// values of a row that its reader has seen, and the rows behind it pass the same predicate as all others.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { fail } from '../../base/errors.ts';
import { assertStorableText } from '../json.ts';
import { countJson } from '../jsonText.ts';

const cursorShape = z.tuple([z.string(), z.array(z.unknown())]);
const digestLength = 8;

/** Cursors have about a thousand characters at most (`entryCursor.ts`), and hold a list of texts, numbers and one more list of them. */
const maxLength = 4_096;
const jsonLimits = { depth: 3, members: 0, values: 1_000 };

/**
 * Makes the cursor of a place.
 * @param list identifies the list: the cursor is valid for an equal value only
 */
export function makeCursor(list: unknown, place: readonly unknown[]): string {
  const body = JSON.stringify([shortDigest(list), place]);
  return Buffer.from(digestText(body) + body).toString('base64url');
}

/**
 * Reads the place from a cursor.
 * @param placeInput the schema of a place in the list: anybody can make a cursor
 * @throws bad_request where it is malformed or belongs to another list or order
 */
export function readCursor<Place>(list: unknown, cursor: string, placeInput: z.ZodType<Place>): Place {
  if (cursor.length > maxLength) fail('bad_request', 'The cursor is malformed.');
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.toString();
  const body = text.slice(digestLength);
  // The decoder skips characters that are not base64url, so compare with what the bytes encode to.
  const isWhole = bytes.toString('base64url') === cursor && text.slice(0, digestLength) === digestText(body);
  const parsed = isWhole ? cursorShape.safeParse(parse(body)) : null;
  if (!parsed?.success) fail('bad_request', 'The cursor is malformed.');
  const [fingerprint, place] = parsed.data;
  if (fingerprint !== shortDigest(list)) fail('bad_request', 'The cursor belongs to another list or order.');
  for (const value of place.flat()) if (typeof value === 'string') assertStorableText(value, 'The cursor');
  const read = placeInput.safeParse(place);
  if (!read.success) fail('bad_request', 'The cursor is malformed.');
  return read.data;
}

function parse(text: string): unknown {
  try {
    countJson(Buffer.from(text), jsonLimits);
    return JSON.parse(text);
  } catch {
    // The caller reports it as malformed.
    return null;
  }
}

/** A digest of a value that JSON can hold. It tells values apart that differ by chance, and keeps no secret. */
export function shortDigest(value: unknown): string {
  return digestText(JSON.stringify(value));
}

function digestText(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, digestLength);
}
