// Cursors made by hand: a checksum keeps nobody from writing one.
import { createHash } from 'node:crypto';

/** What a cursor holds: the fingerprint of its list, and a place in it. */
export type CursorParts = [list: string, place: unknown[]];

/** A cursor with other contents, its checksum made right. */
export function forgedCursor(cursor: string, change: (parts: CursorParts) => unknown): string {
  const body = JSON.stringify(change(JSON.parse(Buffer.from(cursor, 'base64url').toString().slice(8)) as CursorParts));
  const checksum = createHash('sha256').update(body).digest('base64url').slice(0, 8);
  return Buffer.from(checksum + body).toString('base64url');
}
