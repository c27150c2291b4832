// Cursors of a site's changes: a position in the feed, encrypted with the site's secret (AES-128, one block), so that
// they reveal neither the number of changes between two of them nor whether there were any.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { fail } from '../../base/errors.ts';

/** A position in a feed: after a record, or after the first changes that a record is shown as. */
export interface FeedPosition {
  readonly position: number;
  /** Number of changes of the record before the position; null for all of them. */
  readonly parts: number | null;
}

const cursorCipher = 'aes-128-ecb';
const cipherBlockBytes = 16;
/** The offsets of a block's members: 6 bytes of the position, the parts, 4 bytes that may be random, and zeros. */
const partsAt = 6;
const randomAt = 7;
const zerosAt = 11;
const allParts = 255;

/**
 * Makes the cursor of a position.
 * @param isRandom whether each cursor differs from all others: equal ones would reveal that nothing happened
 */
export function makeChangeCursor(secret: Uint8Array, { position, parts }: FeedPosition, isRandom: boolean): string {
  const block = Buffer.alloc(cipherBlockBytes);
  block.writeUIntBE(position, 0, partsAt);
  block.writeUInt8(parts ?? allParts, partsAt);
  if (isRandom) randomBytes(zerosAt - randomAt).copy(block, randomAt);
  return createCipheriv(cursorCipher, secret, null).setAutoPadding(false).update(block).toString('base64url');
}

/**
 * Decrypts the position in a cursor. @throws bad_request for anything that is not a cursor of the feed with this secret
 */
export function readChangeCursor(secret: Uint8Array, cursor: string): FeedPosition {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== cipherBlockBytes || bytes.toString('base64url') !== cursor) throwNoCursor();
  const block = createDecipheriv(cursorCipher, secret, null).setAutoPadding(false).update(bytes);
  if (block.subarray(zerosAt).some((byte) => byte !== 0)) throwNoCursor();
  const parts = block.readUInt8(partsAt);
  return { position: block.readUIntBE(0, partsAt), parts: parts === allParts ? null : parts };
}

function throwNoCursor(): never {
  fail('bad_request', "after must be a cursor of this site's changes, or now.");
}
