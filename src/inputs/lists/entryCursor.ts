// Cursors of lists of entries. If the sort values of a row are too long for a URL, its cursor holds the beginning of
// them, the row's id, and a digest that detects whether the row still has the same values.
import { z } from 'zod';
import { beginningOf, fitsOrder, type ListOrder, type PositionValue } from '../../entries/sql/orderSql.ts';
import { makeCursor, readCursor, shortDigest } from './cursor.ts';

/** Maximum size of the position in a cursor, in bytes of JSON; it bounds a cursor to 1,000 characters. */
const maxPositionBytes = 600;

/** A position of which the cursor holds only the beginning. */
export interface CutPosition {
  readonly beginning: readonly PositionValue[];
  /** The id of the entry at the position. */
  readonly id: string;
  readonly digest: string;
}

/** The position in a cursor, whole or cut. */
export type CursorPosition = { readonly whole: readonly PositionValue[] } | CutPosition;

/**
 * Makes the cursor of an entry in a list.
 * @param list identifies the list and its order
 */
export function makeEntryCursor(
  list: unknown,
  { keys }: ListOrder,
  { position, id }: { readonly position: readonly PositionValue[]; readonly id: string },
): string {
  if (Buffer.byteLength(JSON.stringify(position)) <= maxPositionBytes) return makeCursor(list, position);
  return makeCursor(list, [beginningOf(keys, position, maxPositionBytes), id, shortDigest(position)]);
}

/** Parses a cursor of a list of entries. @throws bad_request if it is malformed or belongs to another list or order */
export function readEntryCursor(list: unknown, { keys }: ListOrder, cursor: string): CursorPosition {
  const values = z.array(z.union([z.string(), z.number(), z.null()]));
  const wholePosition = values
    .length(keys.length)
    .refine((position) => fitsOrder(keys, position))
    .transform((position) => ({ whole: position }));
  const cutPosition = z
    .tuple([values.min(1).refine((beginning) => fitsOrder(keys, beginning)), z.guid(), z.string()])
    .transform(([beginning, id, digest]) => ({ beginning, id, digest }));
  return readCursor<CursorPosition>(list, cursor, z.union([wholePosition, cutPosition]));
}

/** Whether an entry is still at the position whose beginning a cursor holds. */
export function hasPosition(position: readonly PositionValue[], { digest }: CutPosition): boolean {
  return shortDigest(position) === digest;
}
