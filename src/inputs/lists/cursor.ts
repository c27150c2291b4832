// Makes and parses cursors. A cursor is an opaque position in one list in one order. It contains a fingerprint of its
// list and a checksum, so that a cursor of another list, or an edited one, is detected. It grants no access: it
// contains the sort values of a row that its reader has seen, and the rows after it pass the same predicate as all
// others.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { fail } from '../../base/errors.ts';
import { assertStorableText } from '../json.ts';
import { countJson } from '../jsonText.ts';

const cursorShape = z.tuple([z.string(), z.array(z.unknown())]);
const digestLength = 8;

/**
 * A cursor has about a thousand characters at most (`entryCursor.ts`): a list of texts, numbers and one nested list of
 * them.
 */
const maxLength = 4_096;
const jsonLimits = { depth: 3, members: 0, values: 1_000 };

/** Makes the cursor of a position. @param list identifies the list: the cursor is valid for an equal value only */
export function makeCursor(list: unknown, position: readonly unknown[]): string {
  const body = JSON.stringify([shortDigest(list), position]);
  return Buffer.from(digestText(body) + body).toString('base64url');
}

/**
 * Parses a cursor.
 * @param positionInput the schema of a position in the list: clients can forge cursors
 * @throws bad_request if it is malformed or belongs to another list or order
 */
export function readCursor<Position>(list: unknown, cursor: string, positionInput: z.ZodType<Position>): Position {
  if (cursor.length > maxLength) fail('bad_request', 'The cursor is malformed.');
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.toString();
  const body = text.slice(digestLength);
  // The decoder skips characters that are not base64url: compare the cursor with the encoding of the bytes.
  const isWhole = bytes.toString('base64url') === cursor && text.slice(0, digestLength) === digestText(body);
  const parsed = isWhole ? cursorShape.safeParse(parse(body)) : null;
  if (!parsed?.success) fail('bad_request', 'The cursor is malformed.');
  const [fingerprint, position] = parsed.data;
  if (fingerprint !== shortDigest(list)) fail('bad_request', 'The cursor belongs to another list or order.');
  for (const value of position.flat()) if (typeof value === 'string') assertStorableText(value, 'The cursor');
  const read = positionInput.safeParse(position);
  if (!read.success) fail('bad_request', 'The cursor is malformed.');
  return read.data;
}

function parse(text: string): unknown {
  try {
    countJson(Buffer.from(text), jsonLimits);
    return JSON.parse(text);
  } catch {
    // Null makes the caller report it as malformed.
    return null;
  }
}

/** A digest of a JSON value. It detects accidental differences alone: a client can compute it. */
export function shortDigest(value: unknown): string {
  return digestText(JSON.stringify(value));
}

function digestText(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, digestLength);
}
