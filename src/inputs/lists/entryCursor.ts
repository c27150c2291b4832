// Cursors of lists of entries. The sort values of a row may be too long for a URL. Its cursor then holds the beginning of
// them, the row's id, and a digest by which the row is seen to have the same values still.
import { z } from 'zod';
import { beginningOf, fitsOrder, type ListOrder, type PositionValue } from '../../entries/sql/orderSql.ts';
import { makeCursor, readCursor, shortDigest } from './cursor.ts';

/** How many bytes of JSON a cursor holds of a position, so that a cursor has at most 1,000 characters. */
const maxPositionBytes = 600;

/** A position of which a cursor holds only the beginning. */
export interface CutPosition {
  readonly beginning: readonly PositionValue[];
  /** The id of the entry that has the position. */
  readonly id: string;
  readonly digest: string;
}

/** What a cursor holds of the position that it stands for. */
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

/** Reads a cursor of a list of entries. @throws bad_request where it is malformed or belongs to another list or order */
export function readEntryCursor(list: unknown, { keys }: ListOrder, cursor: string): CursorPosition {
  const values = z.array(z.union([z.string(), z.number(), z.null()]));
  const whole = values
    .length(keys.length)
    .refine((position) => fitsOrder(keys, position))
    .transform((position) => ({ whole: position }));
  const cut = z
    .tuple([values.min(1).refine((beginning) => fitsOrder(keys, beginning)), z.guid(), z.string()])
    .transform(([beginning, id, digest]) => ({ beginning, id, digest }));
  return readCursor<CursorPosition>(list, cursor, z.union([whole, cut]));
}

/** Whether an entry has the position whose beginning a cursor holds. */
export function hasPosition(position: readonly PositionValue[], { digest }: CutPosition): boolean {
  return shortDigest(position) === digest;
}
