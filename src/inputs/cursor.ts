// Makes and reads cursors: an opaque position in one list in one order. A cursor contains a fingerprint of its list and a
// checksum, so that a cursor of another list, or one that was edited, is recognised. It grants nothing: it contains the sort
// values of a row that its reader has seen, and the rows behind it pass the same predicate as all others.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { fail } from '../errors.ts';
import { assertStorableText } from './json.ts';

/** Sort values of a row. */
export type Place = (string | number | null)[];

const shape = z.tuple([z.string(), z.array(z.union([z.string(), z.number(), z.null()]))]);
const checksumLength = 8;

/**
 * Makes the cursor of a position.
 * @param list identifies the list: the cursor is valid for an equal value only
 */
export function makeCursor(list: unknown, position: Readonly<Place>): string {
  const body = JSON.stringify([digest(JSON.stringify(list)), position]);
  return Buffer.from(digest(body) + body).toString('base64url');
}

/**
 * Reads the position from a cursor.
 * @param isPlace whether some values could be a position in the list: anybody can make a cursor
 * @throws bad_request where it is malformed or belongs to another list or order
 */
export function readCursor(list: unknown, cursor: string, isPlace: (place: Place) => boolean): Place {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.toString();
  const body = text.slice(checksumLength);
  // The decoder skips characters that are not base64url, so compare with what the bytes encode to.
  const isWhole = bytes.toString('base64url') === cursor && text.slice(0, checksumLength) === digest(body);
  const parsed = isWhole ? shape.safeParse(parse(body)) : null;
  if (!parsed?.success) fail('bad_request', 'The cursor is malformed.');
  const [fingerprint, place] = parsed.data;
  if (fingerprint !== digest(JSON.stringify(list))) fail('bad_request', 'The cursor belongs to another list or order.');
  for (const value of place) if (typeof value === 'string') assertStorableText(value, 'The cursor');
  if (!isPlace(place)) fail('bad_request', 'The cursor is malformed.');
  return place;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports it as malformed.
    return null;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, checksumLength);
}
