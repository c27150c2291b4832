// Cursors: an opaque place in one list in one order. A cursor carries a fingerprint of the list that it was made for,
// and a checksum, so that one from elsewhere, or an edited one, is told apart. It holds sort values of a row that its
// reader has seen, and opens nothing: what lies behind it passes the same predicate as ever.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { fail } from '../errors.ts';
import { assertStorableText } from './json.ts';

/** Sort values of a row. */
export type Place = (string | number | null)[];

const shape = z.tuple([z.string(), z.array(z.union([z.string(), z.number(), z.null()]))]);
const checksumLength = 8;

/**
 * The cursor of a place.
 * @param list what the list is of: a cursor holds for an equal value alone
 */
export function makeCursor(list: unknown, position: Readonly<Place>): string {
  const body = JSON.stringify([digest(JSON.stringify(list)), position]);
  return Buffer.from(digest(body) + body).toString('base64url');
}

/**
 * The place that a cursor names.
 * @param isPlace whether the values are those of a place in the list: anybody can make a cursor
 * @throws bad_request where it is malformed or belongs to another list or order
 */
export function readCursor(list: unknown, cursor: string, isPlace: (place: Place) => boolean): Place {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.toString();
  const body = text.slice(checksumLength);
  // The decoder passes over what is no base64url: a cursor is what it would be encoded to.
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
    // Not ours, whatever it is: the caller is told that it is malformed.
    return null;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, checksumLength);
}
