// Cursors of a site's changes: a place in the feed, encrypted with the site's secret (AES-128, one block), so that they show
// neither how many changes lie between two of them nor whether there were any.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { fail } from '../../base/errors.ts';

/** A place in a feed: behind a record, or behind the first changes that are made of it. */
export interface FeedPlace {
  readonly position: number;
  /** How many changes of the record lie before the place; null: all of them. */
  readonly parts: number | null;
}

const cursorCipher = 'aes-128-ecb';
const cipherBlockBytes = 16;
/** Where the members of a block are: 6 bytes of the position, the parts, 4 bytes that may be random, and zeros. */
const partsAt = 6;
const randomAt = 7;
const zerosAt = 11;
const allParts = 255;

/**
 * Makes the cursor of a place.
 * @param isRandom whether each cursor differs from all others: equal ones would tell a reader that nothing happened
 */
export function makeChangeCursor(secret: Uint8Array, { position, parts }: FeedPlace, isRandom: boolean): string {
  const block = Buffer.alloc(cipherBlockBytes);
  block.writeUIntBE(position, 0, partsAt);
  block.writeUInt8(parts ?? allParts, partsAt);
  if (isRandom) randomBytes(zerosAt - randomAt).copy(block, randomAt);
  return createCipheriv(cursorCipher, secret, null).setAutoPadding(false).update(block).toString('base64url');
}

/** Reads the place of a cursor. @throws bad_request for anything that is not a cursor of the feed with this secret */
export function readChangeCursor(secret: Uint8Array, cursor: string): FeedPlace {
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
